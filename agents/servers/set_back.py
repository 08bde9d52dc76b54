"""The machine's clock was set back: what was planned by the old one would be due in hours or years. It is due now.

A machine without a clock of its own starts with any time, and learns the right one from the network a little later.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agents.models import Agent, Run, WorkerHeartbeat

logger = logging.getLogger(__name__)

AHEAD = timedelta(minutes=1)
"""Nothing that has happened is dated later than this, even by another machine with a clock of its own."""
LONGEST_DELAY = timedelta(hours=1)
LONGEST_LEASE = timedelta(minutes=5)


class ClockWatch:
    """Asked now and then; says whether the clock was set back since it was asked last, or before this process began."""

    def __init__(self) -> None:
        self._offset: float | None = None

    def was_set_back(self) -> bool:
        before, self._offset = self._offset, time.time() - time.monotonic()
        if before is not None:
            return before - self._offset > AHEAD.total_seconds()
        limit = timezone.now() + AHEAD
        return (
            Agent.objects.filter(last_update_at__gt=limit).exists() or Run.objects.filter(created_at__gt=limit).exists()
        )


def make_due_again(now: datetime) -> None:
    """Whatever waits for a time that the old clock would have reached soon waits no longer."""
    limit = now + AHEAD
    interval = timedelta(seconds=settings.MEMORY_UPDATE_INTERVAL_SECONDS)
    active = Run.objects.filter(state__in=Run.ACTIVE)
    with transaction.atomic():
        agents = Agent.objects.filter(next_update_at__gt=now + interval).update(next_update_at=now)
        Agent.objects.filter(update_requested_at__gt=limit).update(update_requested_at=now)
        Agent.objects.filter(last_update_at__gt=limit).update(last_update_at=now)
        Agent.objects.filter(last_change_at__gt=limit).update(last_change_at=now)
        active.filter(dispatched_at__gt=limit).update(dispatched_at=None)
        active.filter(not_before__gt=now + LONGEST_DELAY).update(not_before=now)
        active.filter(lease_until__gt=now + LONGEST_LEASE).update(lease_until=now + LONGEST_LEASE)
        # The newest of them is how a restarted process knows.
        Run.objects.filter(created_at__gt=limit).update(created_at=now)
        WorkerHeartbeat.objects.filter(at__gt=limit).update(at=now)
    logger.warning("the clock was set back; what was planned is due now", extra={"agents": agents})
