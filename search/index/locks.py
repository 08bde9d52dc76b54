"""The locks of an index: `flock`s beside the file, held across processes and released by the kernel on death.

| actor | writer lock | build lock |
|---|---|---|
| update | for the whole scan and write | – |
| embed | per slice of stored vectors, never while a model runs | – |
| rebuild | for the last look at the files and the swap | for a whole bout, while models run too |
| remove | from start to end | from start to end |
| search | never | never |

The build lock is taken before the writer lock, never after it.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from search.errors import IndexBusy, IndexUnavailable
from search.sentences import sentence

_POLL_SECONDS = 0.02


@contextmanager
def writer_lock(index: Path, *, timeout: float = 0.0) -> Iterator[None]:
    """Hold the writer lock of `index`; raises `IndexBusy` when it is not free within `timeout` seconds.

    Raises `IndexUnavailable` where the folder cannot be written.
    """
    with _held(lock_path(index), sentence("another job is writing the index {name}", name=index.name), timeout):
        yield


@contextmanager
def build_lock(index: Path, *, timeout: float = 0.0) -> Iterator[None]:
    """Hold the right to build the next index of `index`; raises `IndexBusy` like `writer_lock`.

    Its file goes with its last holder: nothing waits here for long, and nothing is left behind.
    """
    path = index.with_name(index.name + ".build-lock")
    with _held(path, sentence("another job is rebuilding the index {name}", name=index.name), timeout):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def lock_path(index: Path) -> Path:
    return index.with_name(index.name + ".lock")


@contextmanager
def _held(path: Path, busy: str, timeout: float) -> Iterator[None]:
    deadline = time.monotonic() + timeout
    while True:
        handle = _open(path)
        try:
            _acquire(handle, busy, deadline)
            # Its holder may have deleted the file while we waited: a lock on it would be one that nobody else sees.
            if _is_at(handle, path):
                yield
                return
        finally:
            os.close(handle)


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise IndexUnavailable(
            sentence(
                "the folder of indexes {parent} cannot be written: {strerror}",
                parent=path.parent,
                strerror=error.strerror,
            ),
            hint=sentence("Check who owns the folder and that it is not read-only."),
        ) from error


def _acquire(handle: int, busy: str, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise IndexBusy(busy, hint=sentence("Wait for the running job to finish, or cancel it.")) from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
