"""What `celery -A memory_appliance worker` starts: the application of `workers`, with Django's settings chosen."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")

from celery.signals import worker_ready
from django.conf import settings

from workers.app import app
from workers.celery_logs import log_as

__all__ = ["app"]

log_as(settings.LOGGING)


@worker_ready.connect
def _start_counting(**_: Any) -> None:
    from memory_appliance.metrics.counting import start_counting  # needs Django, which the worker has set up by now

    start_counting("worker")
