"""Turns: deep runs in a bounded pool of threads, with a deadline, a short cache, and one run for identical turns.

Whoever waits here waits until the deadline and no longer, whatever the run does: a run that comes too late finishes on
its own, and what it had found until then is the partial answer.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from search.runtime.cache import LruCache

R = TypeVar("R")
P = TypeVar("P")

THREADS = 8
CACHE_SECONDS = 15.0
CACHE_TURNS = 1_000


@dataclass(frozen=True, slots=True)
class Ended(Generic[R]):
    """The run came back in time; `result` is None when it failed, and then `error` says how."""

    result: R | None
    error: BaseException | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Late(Generic[P]):
    """The deadline came first. `started` is False for a run that found no free thread."""

    progress: P
    started: bool


@dataclass(slots=True)
class _Flight(Generic[R, P]):
    future: Future[R]
    progress: P


class Turns(Generic[R, P]):
    """`R` is what a run answers, `P` what it leaves behind while it runs."""

    def __init__(self, *, threads: int = THREADS, cache_seconds: float = CACHE_SECONDS) -> None:
        self._threads = threads
        self._cache_seconds = cache_seconds
        self._start_over()

    def _start_over(self) -> None:
        self._pid = os.getpid()
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="recall")
        self._lock = threading.Lock()
        self._flights: dict[Hashable, _Flight[R, P]] = {}
        self._cache: LruCache[Hashable, tuple[float, R]] = LruCache(CACHE_TURNS)

    def run(
        self,
        key: Hashable,
        work: Callable[[P], R],
        *,
        progress: P,
        until: float,
        keep: Callable[[R], bool],
    ) -> Ended[R] | Late[P]:
        """`until` is on the monotonic clock; answers with `keep` are remembered for 15 seconds."""
        if self._pid != os.getpid():
            self._start_over()  # threads do not survive a fork
        known = self._cache.get(key)
        if known is not None and time.monotonic() - known[0] < self._cache_seconds:
            return Ended(known[1], cached=True)
        flight = self._board(key, work, progress, keep)
        done, _ = wait((flight.future,), timeout=max(0.0, until - time.monotonic()))
        if not done:
            # A run that still waits for a thread is taken back; identical turns that wait for it are late as well.
            waited_only = flight.future.cancel()
            return Late(flight.progress, started=not waited_only)
        if flight.future.cancelled():
            return Late(flight.progress, started=False)
        error = flight.future.exception()
        return Ended(None, error) if error is not None else Ended(flight.future.result())

    def _board(self, key: Hashable, work: Callable[[P], R], progress: P, keep: Callable[[R], bool]) -> _Flight[R, P]:
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None and not flight.future.done():
                return flight
            flight = _Flight(self._pool.submit(work, progress), progress)
            self._flights[key] = flight
        flight.future.add_done_callback(lambda future: self._land(key, future, keep))
        return flight

    def _land(self, key: Hashable, future: Future[R], keep: Callable[[R], bool]) -> None:
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None and flight.future is future:
                del self._flights[key]
        if not future.cancelled() and future.exception() is None and keep(future.result()):
            self._cache.put(key, (time.monotonic(), future.result()))
