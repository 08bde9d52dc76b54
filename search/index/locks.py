"""The writer lock of an index: a `flock` beside the file, held across processes and released by the kernel on death.

| actor | holds it |
|---|---|
| update | for the whole scan and write |
| embed | per slice of stored vectors, never while a model runs |
| rebuild, remove | from start to swap |
| search | never |
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from search.errors import IndexBusy

_POLL_SECONDS = 0.02


@contextmanager
def writer_lock(index: Path, *, timeout: float = 0.0) -> Iterator[None]:
    """Hold the writer lock of `index`; raises `IndexBusy` when it is not free within `timeout` seconds."""
    index.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(index.with_name(index.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _acquire(handle, index, timeout)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, index: Path, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise IndexBusy(
                    f"another job is writing the index {index.name}",
                    hint="Wait for the running job to finish, or cancel it.",
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return
