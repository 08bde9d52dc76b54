"""The Celery application. Messages carry run ids only; all intent and every result is a row of the control database."""

from __future__ import annotations

from celery import Celery

_TASKS = ("update", "rebuild", "embed", "pull", "sweep", "tidy", "consolidate")

app = Celery("memory_appliance", include=["workers.heartbeat", *(f"workers.tasks.{name}" for name in _TASKS)])
app.config_from_object("django.conf:settings", namespace="CELERY")
