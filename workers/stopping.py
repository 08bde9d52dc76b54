"""Whether this worker was told to stop: long jobs look here, hand their run back and end within a moment."""

from __future__ import annotations

import threading
from typing import Any

from celery.signals import worker_shutting_down

STOPPING = threading.Event()


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    STOPPING.set()
