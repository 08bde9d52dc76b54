"""Breaker: after some time-outs in a row, a part that stalls is left alone for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from search.runtime.cache import LruCache

TIMEOUTS = 3
REST_SECONDS = 60.0
_KEEP = 5_000


class Breaker:
    """Counts time-outs per key; any run that completes sets its key back. Safe from any thread."""

    def __init__(
        self, timeouts: int = TIMEOUTS, rest_seconds: float = REST_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._timeouts = timeouts
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: LruCache[str, tuple[int, float]] = LruCache(_KEEP)

    def open(self, key: str) -> bool:
        return self.count(key) >= self._timeouts

    def count(self, key: str) -> int:
        """Time-outs in a row; those before a rest that is over do not count any more."""
        count, last = self._seen.get(key) or (0, 0.0)
        return count if self._clock() - last < self._rest_seconds else 0

    def timed_out(self, key: str) -> None:
        with self._lock:
            self._seen.put(key, (self.count(key) + 1, self._clock()))

    def completed(self, key: str) -> None:
        with self._lock:
            self._seen.put(key, (0, 0.0))
