"""index_problems(): what SQLite and FTS5 find wrong with an index, without changing anything in it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from search.index import driver
from search.index.driver import Connection, open_reader
from search.index.schema import has_table

_SHOWN = 3


def index_problems(path: Path, *, thorough: bool) -> list[str]:
    """[] for a sound index. `thorough` compares every entry of SQLite's own indexes as well; both read the whole file.

    Safe beside searches and updates. Raises the driver's `CantOpenError` when the file is not there.
    """
    try:
        with closing(open_reader(path)) as connection:
            check = "integrity_check" if thorough else "quick_check"
            found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({_SHOWN})")]
            return [line for line in found if line != "ok"] or _odd_counts(connection)
    except driver.CorruptErrors as error:
        return [str(error)]


def _odd_counts(connection: Connection) -> list[str]:
    """Every chunk has its words; vectors may be fewer."""
    if not has_table(connection, "chunks") or not has_table(connection, "chunks_fts"):
        return []
    # Both of one moment: an update may come between two statements.
    chunks, words = connection.execute("SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM chunks_fts)").get
    return [] if chunks == words else [f"{chunks} chunks, but {words} of them in the word index"]
