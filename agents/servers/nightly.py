"""my_night(), may_forget(): which server does the night's work, and whether it goes by a clock that can be believed.

What is kept for a time goes when the clock says that the time is over. A clock that has leapt by years would take
everything at once; so after a leap, or a long time switched off, nothing is forgotten before the second night.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.utils import timezone

from agents.models import WorkerHeartbeat
from agents.servers.common_clock import common_now
from agents.servers.rounds import my_turn

logger = logging.getLogger(__name__)

NIGHT_SECONDS = 12 * 3600.0
"""A round of the night is begun once, at the first server's three o'clock."""

LONGEST_PAUSE = timedelta(days=3)


WRONG = timedelta(minutes=1)
"""A clock that differs from PostgreSQL's by more decides nothing that all servers share."""


def my_night(job: str) -> bool:
    """Whether this server does the night's `job`: its clock is right, and no other one has begun it."""
    if abs(timezone.now() - common_now()) > WRONG:
        logger.warning("this server's clock is wrong: the night's work is left to others", extra={"job": job})
        return False
    return my_turn(job, seconds=NIGHT_SECONDS)


def may_forget(job: str) -> bool:
    """Asked once a night by each job that forgets; remembers that it was asked."""
    now, name = common_now(), f"{WorkerHeartbeat.WORKER} {job}"
    before = WorkerHeartbeat.objects.filter(name=name).values_list("at", flat=True).first()
    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"at": now})
    leapt = before is not None and not timedelta(0) <= now - before <= LONGEST_PAUSE
    if leapt:
        logger.warning("the clock has moved far since the last night: nothing is forgotten tonight", extra={"job": job})
    return not leapt
