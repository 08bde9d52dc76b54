"""remembered(): rows that every request needs, read again only after the control database has changed.

The database itself says whether anything was committed since they were read: SQLite by `PRAGMA data_version` (for
other connections) and its count of own changes, PostgreSQL by its snapshot. No writer, in whatever process, has to drop
anything, and a key that was revoked or a rule that was changed counts at the next request.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from django.db import connection

T = TypeVar("T")

KEEP = 1_000
"""Values of one thread; a few kilobytes each. Beyond them all are read again."""


class _Memory(threading.local):
    """What one thread has read through one connection in one state of the database."""

    connection: Any = None
    version: Hashable = None

    def __init__(self) -> None:
        self.values: dict[Hashable, bytes] = {}


_memory = _Memory()


def remembered(name: Hashable, read: Callable[[], T]) -> T:
    """What `read` returns or has returned, always objects of the caller's own.

    `read` takes what it says from the control database and from `name` alone, and is asked again inside a transaction,
    which may see what is never committed.
    """
    if connection.in_atomic_block:
        return read()
    connection.ensure_connection()
    version = _version()
    if version != _memory.version or _memory.connection is not connection.connection or len(_memory.values) >= KEEP:
        _memory.connection, _memory.version, _memory.values = connection.connection, version, {}
    kept = _memory.values.get(name)
    if kept is None:
        value = read()
        _memory.values[name] = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        return value
    # Copies, because a caller may change a row before it saves it, or never save it. These bytes are our own.
    copied: T = pickle.loads(kept)  # noqa: S301
    return copied


def _version() -> Hashable:
    """Equal for two moments between which nothing was committed. Asked before the rows, so never too new for them."""
    own = connection.connection
    if connection.vendor == "sqlite":
        return own.execute("PRAGMA data_version").fetchone()[0], own.total_changes
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_snapshot()::text")
        snapshot: str = cursor.fetchone()[0]
        return snapshot
