"""The clock's schedule, which goes on when the machine's clock is set back.

Celery's own waits until the time that it has planned for comes round again: set back by a day, it sends nothing for
a day.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from celery.beat import Scheduler

logger = logging.getLogger(__name__)

TOLERANCE = timedelta(seconds=2)
"""Clocks are adjusted a little all the time."""


class SteadyScheduler(Scheduler):
    _latest: datetime | None = None

    def tick(self, *arguments: Any, **options: Any) -> float:
        now = self.app.now()
        if self._latest is not None and now < self._latest - TOLERANCE:
            logger.warning("the clock was set back", extra={"seconds": round((self._latest - now).total_seconds())})
            for entry in self.schedule.values():
                entry.last_run_at = entry.default_now()
            self._heap = None  # planned anew by the tick itself
        self._latest = now
        return float(super().tick(*arguments, **options))
