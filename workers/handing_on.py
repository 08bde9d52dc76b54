"""A task carries the id of the request that wanted it; the worker's lines about it then have the same one."""

from __future__ import annotations

from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun

from workers.request_id import SANE, request_id

HEADER = "memory_request_id"


def hand_on_request_ids() -> None:
    """For every task that this process sends or does."""
    before_task_publish.connect(_hand_on)
    task_prerun.connect(_take_up)
    task_postrun.connect(_put_down)


def _hand_on(headers: dict[str, Any] | None = None, **_: Any) -> None:
    if headers is not None and request_id.get():
        headers[HEADER] = request_id.get()


def _take_up(task: Any = None, **_: Any) -> None:
    handed_on = task.request.get(HEADER)
    request_id.set(handed_on if isinstance(handed_on, str) and SANE.fullmatch(handed_on) else "")


def _put_down(**_: Any) -> None:
    request_id.set("")
