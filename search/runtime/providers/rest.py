"""Rest: after a failure a provider is left alone for a while, and whoever asks gets the same reason at once."""

from __future__ import annotations

import threading
import time

from search.runtime.providers.failures import ProviderFailed


class Rest:
    """One per provider set-up and process. `failing_since` is on the monotonic clock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failure: ProviderFailed | None = None
        self._until = 0.0
        self.failing_since: float | None = None

    def check(self) -> None:
        """Raise the last failure again while the rest lasts."""
        with self._lock:
            if self._failure is not None and time.monotonic() < self._until:
                raise self._failure.with_traceback(None)

    def after(self, failure: ProviderFailed) -> None:
        now = time.monotonic()
        with self._lock:
            if failure is self._failure and now < self._until:
                return  # it was only repeated
            self._failure, self._until = failure, now + failure.wait_seconds
            self.failing_since = now if self.failing_since is None else self.failing_since

    def over(self) -> None:
        with self._lock:
            self._failure, self.failing_since = None, None
