"""/models: the registry of local models, and downloads as runs."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from agents.providers.downloads import request_pull
from memory_appliance.api.auth import ADMIN, actor_of, require_fleet_key
from memory_appliance.api.schemas.models import ModelsAnswer, PullBody, models_answer
from memory_appliance.api.schemas.runs import StartedAnswer, run_answer
from workers.dispatch import dispatch

router = Router(tags=["models"], auth=ADMIN)


@router.get("", response=ModelsAnswer, operation_id="list_models")
def list_models(request: HttpRequest) -> ModelsAnswer:
    """Every model of the registry and every file of your own: whether it is there, in use, in memory."""
    require_fleet_key(request)
    return models_answer()


@router.post("/pull", response={202: StartedAnswer}, operation_id="pull_model")
def pull_model(request: HttpRequest, payload: PullBody) -> Status[StartedAnswer]:
    """Download a model into the folder that all agents share. Joins a download of it that is on its way."""
    require_fleet_key(request)
    run = request_pull(actor=actor_of(request), model=payload.model)
    return Status(202, StartedAnswer(run=run_answer(run), dispatched=dispatch(run)))
