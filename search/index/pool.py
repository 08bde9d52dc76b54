"""Borrowed read connections: one per thread and index, least recently used out, never carried across a fork.

Opening a connection costs about 1 ms of CPU, a pooled one 50 µs. Before it is lent again the file's inode is compared,
so that an index that was set aside or removed is noticed.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from search.errors import IndexUnavailable
from search.index import driver
from search.index.damage import mark_damaged
from search.index.driver import Connection, open_frozen, open_reader
from search.index.schema import SCHEMA_VERSION, get_meta, has_table
from search.sentences import sentence

PER_THREAD = 64
ROOM_BYTES = 64 * 1024


class _Pool(threading.local):
    def __init__(self) -> None:
        self.pid = os.getpid()
        self.open: OrderedDict[Path, tuple[int, Connection]] = OrderedDict()


_pool = _Pool()
_inherited: list[OrderedDict[Path, tuple[int, Connection]]] = []


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Lend a read-only connection inside one read transaction, so that all stages see one state of the index.

    Raises `IndexUnavailable` when the index does not exist yet, is of another schema, or cannot be read.
    """
    try:
        connection, kept = _begin(path)
    except driver.CorruptErrors as error:
        mark_damaged(path, error)
        raise _unavailable(path, error) from error
    except driver.DatabaseError as error:
        raise _unavailable(path, error) from error
    try:
        yield connection
    except driver.CorruptErrors as error:
        if kept:  # a frozen view of a file that is being written is not a damaged file
            mark_damaged(path, error)
        kept = False
        _pool.open.pop(path, None)
        raise _unavailable(path, error) from error
    finally:
        if not kept:
            connection.close()
        elif connection.in_transaction:
            connection.execute("COMMIT")


def _begin(path: Path) -> tuple[Connection, bool]:
    """A connection in a transaction, and whether it may be lent again."""
    try:
        connection = _borrow(path)
    except (*driver.ReadOnlyErrors, *driver.FullErrors):
        if _can_be_written(path.parent):
            raise
        connection = _checked(open_frozen(path))
        kept = False
    else:
        kept = True
    connection.execute("BEGIN")
    return connection, kept


def _can_be_written(folder: Path) -> bool:
    """Whether there is room for the small file that SQLite needs beside an index, and the right to make it."""
    disk = os.statvfs(folder)
    return os.access(folder, os.W_OK) and disk.f_bavail * disk.f_frsize >= ROOM_BYTES


def _borrow(path: Path) -> Connection:
    if _pool.pid != os.getpid():
        # A SQLite connection must not be used, nor even closed, in a forked child: the parent's are left alone.
        _inherited.append(_pool.open)
        _pool.pid, _pool.open = os.getpid(), OrderedDict()
    try:
        inode = path.stat().st_ino
    except FileNotFoundError:
        _forget(path)
        raise IndexUnavailable(
            sentence("nothing has been indexed yet"),
            hint=sentence("The first update runs within seconds; ask again then."),
        ) from None
    entry = _pool.open.get(path)
    if entry is not None and entry[0] == inode:
        _pool.open.move_to_end(path)
        return entry[1]
    _forget(path)
    connection = _checked(open_reader(path))
    _pool.open[path] = (inode, connection)
    while len(_pool.open) > PER_THREAD:
        _pool.open.popitem(last=False)[1][1].close()
    return connection


def _checked(connection: Connection) -> Connection:
    try:
        usable = has_table(connection, "meta") and get_meta(connection, "schema_version") == SCHEMA_VERSION
    except driver.DatabaseError:
        connection.close()
        raise
    if not usable:
        connection.close()
        raise IndexUnavailable(
            sentence("the index is being made"), hint=sentence("The next update makes it; ask again then.")
        )
    return connection


def _forget(path: Path) -> None:
    entry = _pool.open.pop(path, None)
    if entry is not None:
        entry[1].close()


def _unavailable(path: Path, error: Exception) -> IndexUnavailable:
    return IndexUnavailable(
        sentence("the index {name} cannot be read: {error}", name=path.name, error=error),
        hint=sentence("The next update repairs it by itself."),
    )
