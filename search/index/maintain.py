"""maintain_index(): the nightly care of one index: old vectors out, word index merged, log folded back."""

from __future__ import annotations

import time
from pathlib import Path

from search.index import driver
from search.index.driver import transaction
from search.index.locks import build_lock, writer_lock
from search.index.opening import writing
from search.index.rebuild import abandon_build, build_path
from search.index.schema import has_table
from search.index.vectors import evict

CACHE_KEEP = 50_000
"""Vectors kept for texts that are not in the index now, so that a text that comes back costs nothing."""

BUILD_KEEP_SECONDS = 7 * 86_400
"""A rebuild that nobody went on with for so long is not waited for any more."""


def maintain_index(path: Path, *, lock_timeout: float = 0.0) -> int:
    """Answers the number of vectors dropped. Raises `IndexBusy` when a job is writing; try again the next night."""
    _drop_old_build(path)
    with writer_lock(path, timeout=lock_timeout), writing(path, remake=False) as connection:
        _check(path, connection)
        with transaction(connection):
            dropped = evict(connection, CACHE_KEEP)
            if has_table(connection, "chunks_fts"):
                connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES('optimize')")
        connection.execute("PRAGMA optimize")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return dropped


def _check(path: Path, connection: driver.Connection) -> None:
    """A damaged page that no search has met yet is found here; the next update makes the index new."""
    found = connection.execute("PRAGMA quick_check(1)").get
    if found != "ok":
        raise driver.CorruptErrors[0](str(found))


def _drop_old_build(path: Path) -> None:
    beside = build_path(path)
    if beside.exists() and beside.stat().st_mtime < time.time() - BUILD_KEEP_SECONDS:
        with build_lock(path):
            abandon_build(path)
