"""What `celery -A memory_appliance` starts: the application of `workers`, with the clock of the periodic tasks."""

from __future__ import annotations

import os

from celery.schedules import crontab

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")

from django.conf import settings

from workers.app import app
from workers.queues import CONTROL

__all__ = ["app"]

app.conf.beat_schedule = {
    # A tick that no worker has taken up before the next one is dropped: a restarted worker finds one, not a thousand.
    "sweep": {
        "task": "workers.sweep",
        "schedule": settings.OPTIONS.sweep_seconds,
        "options": {"queue": CONTROL, "expires": settings.OPTIONS.sweep_seconds},
    },
    "tidy": {
        "task": "workers.tidy",
        "schedule": crontab(hour=3, minute=30),
        "options": {"queue": CONTROL, "expires": 3600},
    },
}
