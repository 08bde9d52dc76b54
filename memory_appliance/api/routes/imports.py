"""/agents/{slug}/import: what other tools have becomes the agent's notes and transcripts."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.imports import import_memory
from memory_appliance.api.auth import ADMIN, actor_of, agent_of, require_fleet_key
from memory_appliance.api.schemas.imports import ImportAnswer, ImportBody, import_answer

router = Router(tags=["files"], auth=ADMIN)


@router.post("/{slug}/import", response=ImportAnswer, operation_id="import_memory")
def import_tool_memory(request: HttpRequest, slug: str, payload: ImportBody) -> ImportAnswer:
    """Notes go to `memory/imports/<tool>/`, conversations to transcripts; nothing is doubled when it is repeated.

    Reads the server's disk: for keys of all agents.
    """
    agent = agent_of(request, slug)
    require_fleet_key(request)
    found = import_memory(agent=agent, actor=actor_of(request), **payload.model_dump())
    return import_answer(found)
