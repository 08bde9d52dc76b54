"""Deadline: a timeout that is shared by several steps."""

from __future__ import annotations

import time

from search.errors import EmbedderUnavailable
from search.sentences import sentence


class Deadline:
    """Starts when it is made. `end` is on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until the deadline, more than zero; `EmbedderUnavailable` when it has passed."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> EmbedderUnavailable:
        """The error to raise when a step did not come back in time."""
        return EmbedderUnavailable(
            sentence("the embedding timed out after {seconds:.0f} ms", seconds=self._seconds * 1000),
            hint=sentence("The machine may be busy; a later search finds the model ready."),
        )
