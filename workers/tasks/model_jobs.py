"""The model jobs as Celery tasks. Their deadline is Celery's own `expires`: a late one is dropped before it starts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from celery import Task, shared_task

from workers.model_worker import ModelWorker

_worker: ModelWorker | None = None


def serve_with(worker: ModelWorker) -> None:
    """Called once when a model worker starts."""
    global _worker
    _worker = worker


@shared_task(name="models.embed", bind=True, ignore_result=True)
def embed(task: Task[Any, Any], reply: str, body: dict[str, Any]) -> None:
    _serving().embed(reply, body, _deadline(task))


@shared_task(name="models.rerank", bind=True, ignore_result=True)
def rerank(task: Task[Any, Any], reply: str, body: dict[str, Any]) -> None:
    _serving().rerank(reply, body, _deadline(task))


@shared_task(name="models.generate", bind=True, ignore_result=True)
def generate(task: Task[Any, Any], reply: str, body: dict[str, Any]) -> None:
    _serving().generate(reply, body, _deadline(task))


def _serving() -> ModelWorker:
    if _worker is None:
        raise RuntimeError("a model job reached a process that is no model worker")
    return _worker


def _deadline(task: Task[Any, Any]) -> datetime | None:
    expires: object = task.request.expires
    moment = datetime.fromisoformat(expires) if isinstance(expires, str) else expires
    if not isinstance(moment, datetime):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
