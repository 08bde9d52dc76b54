"""answering(): a disk that does not answer keeps one thread of a process waiting, and tells all others at once.

A call to a network share that hangs cannot be given up, so of the threads that want the same folder only one asks its
disk at a time. On a disk that answers that is a matter of microseconds.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

PATIENCE_SECONDS = 1.0


@dataclass(slots=True)
class _Door:
    lock: RLock = field(default_factory=RLock)
    inside: int = 0
    since: float = 0.0


_doors: dict[str, _Door] = {}


@contextmanager
def answering(root: Path) -> Iterator[None]:
    """Around what is asked of the disk of `root`. Raises `OSError` (ETIMEDOUT) while another thread's call hangs.

    The same thread may ask again inside.
    """
    door = _doors.setdefault(str(root), _Door())
    hangs = door.inside > 0 and time.monotonic() - door.since > PATIENCE_SECONDS
    if not door.lock.acquire(timeout=0 if hangs else PATIENCE_SECONDS):
        raise OSError(errno.ETIMEDOUT, "the disk does not answer", str(root))
    try:
        if not door.inside:
            door.since = time.monotonic()
        door.inside += 1
        yield
    finally:
        door.inside -= 1
        door.lock.release()
