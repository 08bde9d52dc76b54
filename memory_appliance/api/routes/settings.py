"""/agents/{slug}/settings: the typed table of what can be set per agent."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.core.agent_settings import read_settings
from agents.registry.agents import update_agent
from memory_appliance.api.auth import ADMIN, actor_of, agent_of
from memory_appliance.api.schemas.settings import SettingsAnswer, SettingsBody, settings_answer

router = Router(tags=["settings"], auth=ADMIN)


@router.get("/{slug}/settings", response=SettingsAnswer, operation_id="get_settings")
def get_settings(request: HttpRequest, slug: str) -> SettingsAnswer:
    return settings_answer(read_settings(agent_of(request, slug).settings))


@router.put("/{slug}/settings", response=SettingsAnswer, operation_id="set_settings")
def set_settings(request: HttpRequest, slug: str, payload: SettingsBody) -> SettingsAnswer:
    """Change the settings that are named; the others stay. Unknown names are refused."""
    agent = update_agent(actor=actor_of(request), agent=agent_of(request, slug), settings=payload.root)
    return settings_answer(read_settings(agent.settings))
