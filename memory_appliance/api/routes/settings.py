"""/agents/{slug}/settings and /settings: what can be set per agent, and the defaults for all agents."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.core.agent_settings import default_settings
from agents.registry.agents import update_agent
from agents.registry.default_settings import set_default_settings
from memory_appliance.api.auth import ADMIN, actor_of, agent_of, require_fleet_key
from memory_appliance.api.schemas.settings import SettingsAnswer, SettingsBody, settings_answer

router = Router(tags=["settings"], auth=ADMIN)
defaults = Router(tags=["settings"], auth=ADMIN)


@router.get("/{slug}/settings", response=SettingsAnswer, operation_id="get_settings")
def get_settings(request: HttpRequest, slug: str) -> SettingsAnswer:
    """Every setting: its value, the default that it has without one of its own, and where the value comes from."""
    agent = agent_of(request, slug)
    return settings_answer(agent.settings, agent.defaults)


@router.put("/{slug}/settings", response=SettingsAnswer, operation_id="set_settings")
def set_settings(request: HttpRequest, slug: str, payload: SettingsBody) -> SettingsAnswer:
    """Change the settings that are named; the others stay. Unknown names are refused."""
    agent = update_agent(actor=actor_of(request), agent=agent_of(request, slug), settings=payload.root)
    return settings_answer(agent.settings, agent.defaults)


@defaults.get("", response=SettingsAnswer, operation_id="get_default_settings")
def get_default_settings(request: HttpRequest) -> SettingsAnswer:
    """The settings of an agent that has none of its own. `default` is the built-in value."""
    require_fleet_key(request)
    return settings_answer(default_settings(), {})


@defaults.put("", response=SettingsAnswer, operation_id="set_default_settings")
def put_default_settings(request: HttpRequest, payload: SettingsBody) -> SettingsAnswer:
    """Change the defaults that are named; null returns one to the built-in value. Agents with their own value keep it.

    `memory_enabled`, `share_vectors` and models are refused: each agent's own, or the server's at /providers.
    """
    require_fleet_key(request)
    set_default_settings(actor=actor_of(request), settings=payload.root)
    return settings_answer(default_settings(), {})
