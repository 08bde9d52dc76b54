"""may_forget(): whether the night's forgetting goes by a clock that can be believed.

What is kept for a time goes when the clock says that the time is over. A clock that has leapt by years would take
everything at once; so after a leap, or a long time switched off, nothing is forgotten before the second night.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.utils import timezone

from agents.models import WorkerHeartbeat

logger = logging.getLogger(__name__)

LONGEST_PAUSE = timedelta(days=3)


def may_forget(job: str) -> bool:
    """Asked once a night by each job that forgets; remembers that it was asked."""
    now, name = timezone.now(), f"{WorkerHeartbeat.WORKER} {job}"
    before = WorkerHeartbeat.objects.filter(name=name).values_list("at", flat=True).first()
    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"at": now})
    leapt = before is not None and not timedelta(0) <= now - before <= LONGEST_PAUSE
    if leapt:
        logger.warning("the clock has moved far since the last night: nothing is forgotten tonight", extra={"job": job})
    return not leapt
