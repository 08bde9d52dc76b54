"""Background jobs as the API shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, cast

from agents.models import Run
from memory_appliance.api.schemas.base import Answer

State = Literal["queued", "running", "done", "failed", "cancelled"]


class ProgressAnswer(Answer):
    done: int
    total: int
    unit: str


class RunAnswer(Answer):
    id: int
    agent: str | None
    """None: a download, which is about a model."""
    subject: str
    kind: str
    state: State
    reason: str
    progress: ProgressAnswer
    result: dict[str, Any]
    error: str | None
    cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunList(Answer):
    items: list[RunAnswer]


class StartedAnswer(Answer):
    """`dispatched` false: the broker does not answer; the run starts as soon as it is back."""

    run: RunAnswer
    dispatched: bool


def run_answer(run: Run) -> RunAnswer:
    return RunAnswer(
        id=run.public_id,
        agent=run.agent_slug or None,
        subject=run.subject,
        kind=run.kind,
        state=cast(State, run.state),
        reason=run.reason,
        progress=ProgressAnswer(done=run.done, total=run.total, unit=run.unit),
        result=run.result,
        error=run.error or None,
        cancel_requested=run.cancel_requested,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )
