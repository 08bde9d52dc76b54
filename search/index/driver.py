"""The only opener of agent index files: pragmas, sqlite-vec, capabilities, and the driver's errors.

Never open an index with the standard library's `sqlite3` in the same process: closing it would drop the other
library's POSIX locks and lose rows.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
import numpy as np

Connection = apsw.Connection
DatabaseError = apsw.Error
BusyError = apsw.BusyError
CorruptErrors = (apsw.CorruptError, apsw.NotADBError)
ReadOnlyErrors = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)
DiskFullError = apsw.FullError
FullErrors = (apsw.FullError, apsw.IOError)

BUSY_TIMEOUT_MS = 5_000
_MMAP_ABOVE = 64 * 1024 * 1024
_MMAP_BYTES = 256 * 1024 * 1024


def bind_ids(ids: Collection[int]) -> Any:
    """Integers to bind to `carray(?)`; None, which gives no rows, when there are none."""
    return apsw.carray(np.fromiter(ids, np.int64, len(ids))) if len(ids) else None


def bind_digests(digests: Collection[bytes]) -> Any:
    """Digests to bind to `carray(?)`, likewise."""
    return apsw.carray(tuple(digests)) if digests else None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this process's SQLite can do. `vec_error` says why sqlite-vec is missing."""

    sqlite: str
    fts5: bool
    vec: bool
    vec_error: str = ""


def _vec_library() -> str:
    import sqlite_vec

    return str(sqlite_vec.loadable_path())


def _load_vec(connection: Connection) -> str:
    """Load sqlite-vec into `connection`; the answer is "" or the reason why it could not."""
    try:
        connection.enable_load_extension(True)
        connection.load_extension(_vec_library())
    except (ImportError, OSError, apsw.Error) as error:
        return str(error) or type(error).__name__
    finally:
        connection.enable_load_extension(False)
    return ""


@cache
def capabilities() -> Capabilities:
    """Asked once a process."""
    connection = apsw.Connection(":memory:")
    try:
        options = {row[0] for row in connection.execute("PRAGMA compile_options")}
        error = _load_vec(connection)
        return Capabilities(apsw.sqlite_lib_version(), "ENABLE_FTS5" in options, not error, error)
    finally:
        connection.close()


def _open(path: Path | str, flags: int) -> Connection:
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "temp_store=MEMORY", "cache_size=-8192"):
        connection.execute(f"PRAGMA {pragma}")
    if capabilities().vec:
        _load_vec(connection)
    return connection


def open_writer(path: Path) -> Connection:
    """Open or create an index for writing. The caller holds the agent's writer lock."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = _open(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA journal_size_limit=67108864")
    return connection


def open_reader(path: Path) -> Connection:
    """Open an existing index for reading only; raises the driver's `CantOpenError` when it is not there.

    The file itself is opened read-write because SQLite needs that to recover a WAL that a killed writer left.
    """
    connection = _open(path, apsw.SQLITE_OPEN_READWRITE)
    return _for_reading(connection, path)


def open_frozen(path: Path) -> Connection:
    """Open an index on a read-only disk, where SQLite can make none of the files it needs beside it.

    Never keep it: SQLite takes the file for unchanging, and would not notice when it can be written again.
    """
    return _for_reading(
        _open(f"file:{quote(str(path))}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI), path
    )


def _for_reading(connection: Connection, path: Path) -> Connection:
    connection.execute("PRAGMA query_only=ON")
    if path.stat().st_size > _MMAP_ABOVE:
        connection.execute(f"PRAGMA mmap_size={_MMAP_BYTES}")
    return connection


class transaction:  # noqa: N801 - reads as a statement: with transaction(connection)
    """BEGIN IMMEDIATE … COMMIT, or ROLLBACK when the block raises.

    IMMEDIATE because a deferred transaction that upgrades from read to write fails at once under contention,
    whatever the busy timeout is.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> Connection:
        self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
