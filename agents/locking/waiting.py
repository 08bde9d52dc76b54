"""take(): wait for a lock. A request waits for a second in all, and only where there is a place to wait.

A thread that waits answers nobody, so one agent's held lock must not take the threads from the others. Of an agent one
request waits at a time, and all that wait are a quarter of the server's working threads at most: with fewer than four
none does. The rest is refused at once, and tries again. After a lock was waited for in vain, nobody waits for it for
some seconds. Workers and the command line wait for as long as they say.

Places are `flock`s in `<local>/run/waiting`, counted over all web processes; those of a process that dies are free.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from django.conf import settings

from agents.core.paths import local_dir
from agents.locking.locks import file_lock
from search.errors import IndexBusy

T = TypeVar("T")

REQUEST_SECONDS = 1.0
"""What a request may wait for locks, all of them together."""
IN_VAIN_SECONDS = 3.0
TURN_SECONDS = 0.05
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
    if _request.get() is None:
        return _wait(attempt, seconds)
    if was_in_vain(lock):
        return False
    with _place(agent) as there:
        if there and _within_budget(attempt, seconds):
            return True
        if there:
            note_in_vain(lock)
    return False


def wait_in_place(attempt: Callable[[], bool], *, agent: str, seconds: float) -> bool:
    """Whether `attempt` came true in a place to wait; False at once where there is none."""
    with _place(agent) as there:
        return there and _within_budget(attempt, seconds)


def _within_budget(attempt: Callable[[], bool], seconds: float) -> bool:
    budget = _request.get()
    if budget is None:
        return _wait(attempt, seconds)
    began = time.monotonic()
    try:
        return _wait(attempt, min(seconds, budget.left))
    finally:
        budget.left -= time.monotonic() - began


@contextmanager
def turn(what: str) -> Iterator[bool]:
    """One request at a time, of all web processes, asks `what`, a part of the server that may hang.

    False where another request does, or where the last one asked in vain: then the part is not to be asked. What is
    raised in the block is an answer that did not come. Outside requests always True.
    """
    if _request.get() is None:
        yield True
        return
    with ExitStack() as held:
        free = not was_in_vain(what) and _wait(lambda: _free(held, _folder() / f".{what}"), TURN_SECONDS)
        try:
            yield free
        except BaseException:
            note_in_vain(what)
            raise


def was_in_vain(lock: str) -> bool:
    """Whether somebody in this process has just waited for it in vain."""
    return time.monotonic() - _in_vain.get(lock, -IN_VAIN_SECONDS) < IN_VAIN_SECONDS


def forget_in_vain(lock: str) -> None:
    _in_vain.pop(lock, None)


def note_in_vain(lock: str) -> None:
    if len(_in_vain) > 1000:
        _in_vain.clear()
    _in_vain[lock] = time.monotonic()


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
    while not attempt():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


@contextmanager
def _place(agent: str) -> Iterator[bool]:
    """A place to wait in, for the length of the block; False when there is none."""
    places = settings.MEMORY_WEB_WORKERS * settings.MEMORY_WEB_THREADS // 4
    with ExitStack() as held:
        alone = _free(held, _folder() / agent)
        yield alone and any(_free(held, _folder() / f".{number}") for number in range(places))


def _folder() -> Path:
    return local_dir() / "run" / "waiting"


def _free(held: ExitStack, path: Path) -> bool:
    """Whether the place is ours now; where it cannot be written down, as on a full disk, there is none."""
    with ExitStack() as tried:
        try:
            mine = tried.enter_context(file_lock(path))()
        except OSError:
            return False
        if mine:
            held.push(tried.pop_all())
        return mine
