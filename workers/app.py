"""The Celery application. Messages carry run ids only; all intent and every result is a row of the control database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import heartbeat_sent, worker_shutdown
from django.conf import settings

from workers.alive import say_alive, say_gone
from workers.handing_on import hand_on_request_ids
from workers.jobs import TASKS

_ROUNDS = ("workers.heartbeat", "workers.following")
app = Celery("memory_appliance", include=[*_ROUNDS, *(f"workers.tasks.{name}" for name in TASKS)])
app.config_from_object("django.conf:settings", namespace="CELERY")
hand_on_request_ids()


@heartbeat_sent.connect
def _alive(**_: Any) -> None:
    """Sent by the loop that takes messages from the broker: it stands still when that does."""
    say_alive(Path(settings.MEMORY_LOCAL_DIR) / "run", "worker")


@worker_shutdown.connect
def _gone(**_: Any) -> None:
    """Not reached by a power cut or a kill: the next start then looks after what was under way."""
    say_gone(Path(settings.MEMORY_LOCAL_DIR) / "run", "worker")
