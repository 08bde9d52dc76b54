"""starting_alone(): of several starts on one data folder or one database, one prepares and the others wait for it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from memory_appliance.launch.say import LaunchFailed, say

WAIT_SECONDS = 600.0
_POLL_SECONDS = 0.2
_TOLD_AFTER_SECONDS = 2.0
_DATABASE_LOCK = 0x6D656D6F7279
"""The name of the lock inside a PostgreSQL database that servers share: `memory` in ASCII."""


@contextmanager
def starting_alone(run_dir: Path) -> Iterator[None]:
    """A migration may take minutes on a large database: who waits says so. Raises `LaunchFailed` after ten of them."""
    run_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(run_dir / "prepare.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _wait(handle)
        with _database_lock():
            yield
    finally:
        os.close(handle)


def _wait(handle: int) -> None:
    began, told = time.monotonic(), False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - began
            if waited > WAIT_SECONDS:
                raise LaunchFailed(
                    "another start has been preparing the control database for ten minutes",
                    hint="see what it does; stop it if it hangs",
                ) from None
            if not told and waited > _TOLD_AFTER_SECONDS:
                told = True
                say("     another start prepares the control database: waiting for it")
            time.sleep(_POLL_SECONDS)
        else:
            return


@contextmanager
def _database_lock() -> Iterator[None]:
    """PostgreSQL lets go of it when the connection ends, however that happens."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_DATABASE_LOCK])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_DATABASE_LOCK])
