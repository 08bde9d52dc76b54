"""copy_index(): an index as one file of its own, of one moment, while it is searched and written."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from search.errors import IndexDamaged, IndexUnavailable
from search.index import driver
from search.index.damage import mark_damaged
from search.index.driver import open_reader, open_writer
from search.sentences import sentence


def copy_index(index: Path, target: Path) -> None:
    """Raises `IndexUnavailable` where there is none or the target cannot be written, `IndexDamaged` for a bad page."""
    try:
        with closing(open_reader(index)) as source, closing(open_writer(target)) as copy:
            with copy.backup("main", source, "main") as backup:
                backup.step(-1)
            copy.execute("PRAGMA journal_mode=DELETE")
    except driver.CorruptErrors as error:
        mark_damaged(index, error)
        raise IndexDamaged(
            sentence("the index {name} is damaged", name=index.name),
            hint=sentence("The next update makes it again by itself."),
        ) from error
    except driver.DatabaseError as error:
        raise IndexUnavailable(
            sentence("the index {name} cannot be copied: {error}", name=index.name, error=error),
            hint=sentence("See manage.py doctor."),
        ) from error
