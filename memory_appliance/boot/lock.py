"""starting_alone(): of several starts on one data folder or one database, one prepares and the others wait for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.locking.locks import Attempt, data_lock
from memory_appliance.boot.say import LaunchFailed, say

WAIT_SECONDS = 600.0
_POLL_SECONDS = 0.2
_TOLD_AFTER_SECONDS = 2.0


@contextmanager
def starting_alone(run_dir: Path) -> Iterator[None]:
    """A migration may take minutes on a large database: who waits says so. Raises `LaunchFailed` after ten of them."""
    with data_lock(run_dir / "prepare.lock") as attempt:
        _wait(attempt)
        yield


def _wait(attempt: Attempt) -> None:
    began, told = time.monotonic(), False
    while not attempt():
        waited = time.monotonic() - began
        if waited > WAIT_SECONDS:
            raise LaunchFailed(
                "another start has been preparing the control database for ten minutes",
                hint="see what it does; stop it if it hangs",
            )
        if not told and waited > _TOLD_AFTER_SECONDS:
            told = True
            say("     another start prepares the control database: waiting for it")
        time.sleep(_POLL_SECONDS)
