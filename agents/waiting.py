"""take(): wait for a lock. A request waits for a second in all, and only where there is a place to wait.

A thread that waits answers nobody, so one agent's held lock must not take the threads from the others. Of an agent one
request waits at a time, and all that wait are a quarter of the server's working threads at most: with fewer than four
none does. The rest is refused at once, and tries again. After a lock was waited for in vain, nobody waits for it for
some seconds. Workers and the command line wait for as long as they say.

Places are `flock`s in `<data>/run/waiting`, counted over all web processes; those of a process that dies are free.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from django.conf import settings

from agents.paths import data_dir
from search.errors import IndexBusy

T = TypeVar("T")

REQUEST_SECONDS = 1.0
"""What a request may wait for locks, all of them together."""
IN_VAIN_SECONDS = 3.0
_POLL_SECONDS = 0.005


class _Budget:
    left = REQUEST_SECONDS


_request: ContextVar[_Budget | None] = ContextVar("waiting", default=None)
_in_vain: dict[str, float] = {}
"""Locks that somebody in this process has waited for in vain, and when that ended."""


@contextmanager
def as_a_request() -> Iterator[None]:
    """What is waited for in this block keeps a working thread from other requests."""
    token = _request.set(_Budget())
    try:
        yield
    finally:
        _request.reset(token)


def take(attempt: Callable[[], bool], *, lock: str, agent: str, seconds: float) -> bool:
    """Whether `attempt` came true within `seconds`, or within what a request may wait. It is tried once at least."""
    if attempt():
        return True
    budget = _request.get()
    if budget is None:
        return _wait(attempt, seconds)
    if time.monotonic() - _in_vain.get(lock, -IN_VAIN_SECONDS) < IN_VAIN_SECONDS:
        return False
    with _place(agent) as there:
        began = time.monotonic()
        taken = there and _wait(attempt, min(seconds, budget.left))
        budget.left -= time.monotonic() - began
    if there and not taken:
        if len(_in_vain) > 1000:
            _in_vain.clear()
        _in_vain[lock] = time.monotonic()
    return taken


def soon(agent: str, seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns, which takes a lock of the agent's index without waiting. Raises its `IndexBusy`."""
    done: list[T] = []
    busy: list[IndexBusy] = []

    def attempt() -> bool:
        try:
            done.append(work())
        except IndexBusy as error:
            busy.append(error)
        return bool(done)

    if not take(attempt, lock=f"index of {agent}", agent=agent, seconds=seconds):
        raise busy[-1]
    return done[0]


def _wait(attempt: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        if attempt():
            return True
    return False


@contextmanager
def _place(agent: str) -> Iterator[bool]:
    """A place to wait in, for the length of the block; False when there is none."""
    places = settings.MEMORY_WEB_WORKERS * settings.MEMORY_WEB_THREADS // 4
    folder = data_dir() / "run" / "waiting"
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            alone = _free(held, folder / agent)
            yield alone and any(_free(held, folder / f".{number}") for number in range(places))
        except OSError:  # the disk is full: then nobody waits
            yield False


def _free(held: ExitStack, path: Path) -> bool:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    held.callback(os.close, handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
