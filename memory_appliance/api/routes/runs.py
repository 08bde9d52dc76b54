"""/runs: every background job, with its progress."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.access.secrets import visible_agents
from agents.jobs import cancel
from agents.models import Run
from agents.registry import selectors
from memory_appliance.api.auth import ADMIN, ANY_RIGHT, actor_of, key_of
from memory_appliance.api.limits import RowId, RowLimit, SlugFilter
from memory_appliance.api.schemas.runs import RunAnswer, RunList, State, run_answer

router = Router(tags=["runs"], auth=ADMIN)


@router.get("", response=RunList, operation_id="list_runs")
def list_runs(
    request: HttpRequest,
    agent: SlugFilter | None = None,
    state: State | None = None,
    limit: RowLimit = 100,
) -> RunList:
    """Newest first."""
    runs = selectors.list_runs(agent=agent, state=state, visible=visible_agents(key_of(request)))
    return RunList(items=[run_answer(run) for run in runs[:limit]])


@router.get("/{run_id}", response=RunAnswer, auth=ANY_RIGHT, operation_id="get_run")
def get_run(request: HttpRequest, run_id: RowId) -> RunAnswer:
    return run_answer(_visible_run(request, run_id))


@router.post("/{run_id}/cancel", response=RunAnswer, operation_id="cancel_run")
def cancel_run(request: HttpRequest, run_id: RowId) -> RunAnswer:
    """Stop a job; what it has committed stays. A running job stops at its next step."""
    return run_answer(cancel.cancel_run(actor=actor_of(request), run=_visible_run(request, run_id)))


def _visible_run(request: HttpRequest, run_id: int) -> Run:
    return selectors.get_run(run_id, visible_agents(key_of(request)))
