"""maintain_index(): the nightly care of one index: old vectors out, word index merged, log folded back."""

from __future__ import annotations

from pathlib import Path

from search.index.driver import transaction
from search.index.locks import writer_lock
from search.index.opening import open_index
from search.index.schema import has_table
from search.index.vectors import evict

CACHE_KEEP = 50_000
"""Vectors kept for texts that are not in the index now, so that a text that comes back costs nothing."""


def maintain_index(path: Path, *, lock_timeout: float = 0.0) -> int:
    """Answers the number of vectors dropped. Raises `IndexBusy` when a job is writing; try again the next night."""
    with writer_lock(path, timeout=lock_timeout):
        connection = open_index(path)
        try:
            with transaction(connection):
                dropped = evict(connection, CACHE_KEEP)
                if has_table(connection, "chunks_fts"):
                    connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES('optimize')")
            connection.execute("PRAGMA optimize")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return dropped
        finally:
            connection.close()
