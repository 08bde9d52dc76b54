"""Locks across processes, and across the servers that share one PostgreSQL. Who dies lets go of what it held.

| lock | guards | SQLite | PostgreSQL |
|---|---|---|---|
| `file_lock` | something of the local folder | `flock` | `flock` |
| `data_lock` | something of the data folder | `flock` | an advisory lock of the thread's own session |

An advisory lock ends with its session, and what a write ends with is committed in that very session: a server that has
lost PostgreSQL confirms nothing any more. `fence` is asked before the bytes, so that it writes nothing either.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import DatabaseError, OperationalError, connection

from agents.core.paths import data_dir

Attempt = Callable[[], bool]
"""Tries to take the lock, and says whether it is held now."""


class LockLost(OperationalError):
    """The session that held a lock is gone: another server may hold it by now."""


class _Sessions(threading.local):
    """The session of each advisory lock that this thread holds, by the lock's number."""

    def __init__(self) -> None:
        self.held: dict[int, Any] = {}


_own = _Sessions()


@contextmanager
def file_lock(path: Path) -> Iterator[Attempt]:
    """The `flock` of the file at `path`, which is made when missing with its folder; given back at the block's end."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def attempt() -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    try:
        yield attempt
    finally:
        os.close(handle)


@contextmanager
def data_lock(path: Path) -> Iterator[Attempt]:
    """Like `file_lock` for every server of the data folder; with PostgreSQL `path` is a name and no file."""
    if connection.vendor != "postgresql":
        with file_lock(path) as attempt:
            yield attempt
        return
    name = path.relative_to(data_dir()) if path.is_relative_to(data_dir()) else path
    key = int.from_bytes(hashlib.sha256(os.fsencode(name)).digest()[:8], signed=True)
    taken = False

    def attempt_there() -> bool:
        nonlocal taken
        # PostgreSQL lets a session take its own lock again; a `flock` does not.
        if key not in _own.held and _ask("SELECT pg_try_advisory_lock(%s)", key):
            taken, _own.held[key] = True, connection.connection
        return taken

    try:
        yield attempt_there
    finally:
        if taken and _own.held.pop(key) is connection.connection:
            _give_back(key)


def fence() -> None:
    """Asked before bytes are written. Raises `LockLost` when a session that holds a lock of this thread is gone."""
    for session in set(_own.held.values()):
        try:
            if connection.connection is session and _ask("SELECT 1"):
                continue
        except DatabaseError as error:
            raise LockLost("the session that held the lock is gone") from error
        raise LockLost("the session that held the lock is gone")


def _give_back(key: int) -> None:
    try:
        _ask("SELECT pg_advisory_unlock(%s)", key)
    except DatabaseError:  # the session is gone, or amid a transaction that failed: it must not keep the lock
        connection.close()


def _ask(query: str, *values: int) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchone()[0]
