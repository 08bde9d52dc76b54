"""The clock: what `celery beat` runs. It sends names at their times and loads neither Django's apps nor the tasks.

An application of its own because beat would otherwise load all that a worker needs: 120 MB to send a name.
"""

from __future__ import annotations

from typing import Any

from celery import Celery
from celery.schedules import crontab
from celery.signals import after_task_publish

from memory_appliance import settings
from workers.alive import say_alive
from workers.celery_logs import log_as
from workers.queues import CONTROL, queue_name

_PERIOD = settings.OPTIONS.sweep_seconds
# Each of several servers asks its own worker; agents/servers/rounds.py settles whose turn it is.
_QUEUE = queue_name(CONTROL, settings.MEMORY_SERVER_NAME)

app = Celery("clock", fixups=[])
app.config_from_object(settings, namespace="CELERY")
log_as(settings.LOGGING)
app.conf.beat_schedule = {
    # A tick that no worker has taken up before the next one is dropped: a restarted worker finds one, not a thousand.
    "sweep": {"task": "workers.sweep", "schedule": _PERIOD, "options": {"queue": _QUEUE, "expires": _PERIOD}},
    "activity": {"task": "workers.count_activity", "schedule": 60, "options": {"queue": _QUEUE, "expires": 60}},
    "consolidate": {
        "task": "workers.consolidate",
        "schedule": crontab(hour=3, minute=0),
        "options": {"queue": _QUEUE, "expires": 3600},
    },
    "tidy": {
        "task": "workers.tidy",
        "schedule": crontab(hour=3, minute=30),
        "options": {"queue": _QUEUE, "expires": 3600},
    },
    "review": {
        "task": "workers.review_changed",
        "schedule": crontab(hour=4, minute=0),
        "options": {"queue": _QUEUE, "expires": 3600},
    },
    # Asked often and done seldom: a machine that is off at night gets its backups too.
    "backup": {
        "task": "workers.backup_when_due",
        "schedule": crontab(minute="*/10"),
        "options": {"queue": _QUEUE, "expires": 600},
    },
}


@after_task_publish.connect
def _alive(**_: Any) -> None:
    """Only a tick that the broker has taken is a sign of life: a clock without a broker moves nothing."""
    say_alive(settings.MEMORY_LOCAL_DIR / "run", "beat")
