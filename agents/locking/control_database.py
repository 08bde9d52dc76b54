"""control_database_in_turn(): a request does not wait for SQLite's one writer as long as a worker does.

Whoever holds the write lock for long, such as a person with an open transaction in a shell, would otherwise keep every
working thread. A moment is everybody's, because writers follow each other in milliseconds; beyond it a request waits as
for any other lock (agents/locking/waiting.py). PostgreSQL has no such lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import DatabaseError, DataError, InterfaceError, OperationalError, connection

from agents.locking.waiting import REQUEST_SECONDS, forget_in_vain, note_in_vain, wait_in_place, was_in_vain

logger = logging.getLogger(__name__)

LOCK = "control database"
MOMENT_MS, NO_TIME_MS = 100, 10
_WRITES = ("BEGIN", "INSERT", "UPDATE", "DELETE", "REPLACE")
_no_wait: ContextVar[bool] = ContextVar("no_wait", default=False)


DATABASE_REFUSALS: tuple[type[DatabaseError | InterfaceError], ...] = (OperationalError, InterfaceError, DataError)
"""What the doors answer in words: the database is busy or away, or takes no such value. All else is a fault of ours."""

_INDEX_ROW_TOO_LONG = "54000"
"""PostgreSQL's `program_limit_exceeded`: an entry of an index has at most 2,704 bytes."""


def takes_no_such_value(error: BaseException) -> bool:
    """PostgreSQL refuses a zero byte in a text, and a text too long for its column or its index. SQLite takes them."""
    return isinstance(error, DataError) or getattr(error.__cause__, "sqlstate", "") == _INDEX_ROW_TOO_LONG


@contextmanager
def control_database_in_turn() -> Iterator[None]:
    """For the length of a request."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.execute_wrapper(_in_turn):
        yield


def if_free(write: Callable[[], object]) -> None:
    """A write that no answer depends on: a request leaves it out while others write, or the database is away."""
    token = _no_wait.set(True)
    try:
        write()
    except OperationalError as error:
        logger.warning("left out, because the control database cannot be written: %s", error)
    finally:
        _no_wait.reset(token)


def _in_turn(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Only what writes outside a transaction waits; a transaction begins with the write lock."""
    if context["connection"].in_atomic_block or not sql.startswith(_WRITES):
        return execute(sql, params, many, context)
    hurried = _no_wait.get()
    moment = NO_TIME_MS if hurried or was_in_vain(LOCK) else MOMENT_MS
    context["connection"].connection.execute(f"PRAGMA busy_timeout = {moment}")
    done: list[Any] = []
    locked: list[OperationalError] = []

    def attempt() -> bool:
        try:
            done.append(execute(sql, params, many, context))
        except OperationalError as error:
            if "locked" not in str(error):
                raise
            locked.append(error)
        return bool(done)

    if attempt():
        forget_in_vain(LOCK)
    elif hurried or was_in_vain(LOCK):
        raise locked[-1]
    else:
        note_in_vain(LOCK)  # whoever comes now finds it held for a moment already
        context["connection"].connection.execute(f"PRAGMA busy_timeout = {NO_TIME_MS}")
        if not wait_in_place(attempt, agent=".control", seconds=REQUEST_SECONDS):
            raise locked[-1]
        forget_in_vain(LOCK)
    return done[0]
