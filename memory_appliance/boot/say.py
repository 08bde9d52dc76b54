"""What the owner reads in the terminal: steps, their time, and failures as one line with a hint."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

TICK_SECONDS = 5.0
LONG_SECONDS = 2.0


class LaunchFailed(Exception):
    """The start cannot go on. `message` is one line, `hint` says what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def say(text: str) -> None:
    print(text, flush=True)


def fail(failure: LaunchFailed) -> int:
    """Print the failure on stderr; returns the exit code 1."""
    print(f"error: {failure.message}", file=sys.stderr, flush=True)
    if failure.hint:
        print(f" hint: {failure.hint}", file=sys.stderr, flush=True)
    return 1


@contextmanager
def step(text: str) -> Iterator[None]:
    """Announce a step, say every few seconds that it still runs, and how long it took when it was not quick."""
    started = time.monotonic()
    over = threading.Event()

    def tick() -> None:
        while not over.wait(TICK_SECONDS):
            say(f"     … {text.lower()}: {time.monotonic() - started:.0f} s")

    say(f"  ▸ {text}")
    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        over.set()
        ticker.join()
    took = time.monotonic() - started
    if took > LONG_SECONDS:
        say(f"     done in {took:.0f} s")
