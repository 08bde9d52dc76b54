"""RolePlan: which model does a role for an agent, from its own settings, the server's table or the options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from django.conf import settings

from agents.core.agent_settings import read_settings
from agents.core.remembered import remembered
from agents.models import Agent, ProviderChoice
from search.runtime.presets import Role
from search.runtime.providers.address import Address
from search.runtime.providers.choice import LOCAL, NONE, ModelChoice, parse_choice
from search.runtime.providers.table import BY_NAME
from search.sentences import sentence

ROLES: tuple[Role, ...] = ("embed", "rerank", "generate")
_NOBODY = ModelChoice(NONE)


@dataclass(frozen=True, slots=True)
class RolePlan:
    """`second` does the role when `first` fails; `none` when nobody does. `source` is where `first` was set."""

    role: Role
    first: ModelChoice
    second: ModelChoice = _NOBODY
    base_url: str = ""
    """Where the first is; "" means as the options say."""
    dims: int | None = None
    source: Literal["agent", "server", "option"] = "option"


def server_plan(role: Role) -> RolePlan:
    """For agents that do not say otherwise. One query, none while nothing has changed."""
    row = remembered(("plan", role), lambda: ProviderChoice.objects.filter(pk=role).first())
    if row is None:
        return RolePlan(role, parse_choice(role, settings.MEMORY_ROLE_MODELS[role]))
    return RolePlan(
        role,
        _stored(role, row.model),
        _stored(role, row.fallback or NONE),
        base_url=row.base_url,
        dims=row.dimensions,
        source="server",
    )


def agent_plan(role: Role, agent: Agent, server: RolePlan | None = None) -> RolePlan:
    """The agent's own choice on top of the server's. Address and dimensions belong to the server's choice alone.

    `server`: the server's plan, where it was read already for many agents.
    """
    own = read_settings(agent)
    first, second = getattr(own, f"{role}_model"), getattr(own, f"{role}_fallback")
    plan = server or server_plan(role)
    if first is not None:
        choice = _stored(role, first)
        if choice != plan.first:
            plan = replace(plan, first=choice, dims=None, base_url=_same_house(plan, choice), source="agent")
    if second is not None:
        plan = replace(plan, second=_stored(role, second), source="agent")
    return plan


def recall_plan(agent: Agent) -> RolePlan:
    """Who writes the summaries of recall: the agent's choice for that alone, else whoever writes."""
    plan, own = agent_plan("generate", agent), read_settings(agent).recall_model
    choice = None if own is None else _stored("generate", own)
    if choice is None or choice == plan.first:
        return plan
    return replace(plan, first=choice, base_url=_same_house(plan, choice), source="agent")


def address_of(plan: RolePlan, choice: ModelChoice) -> Address:
    """Where to ask, and with which key.

    A key goes to the vendor itself and to the address that the environment names, never to one that was set through
    the API: else whoever may set an address could read the key.
    """
    provider = choice.provider
    row = BY_NAME[provider]
    known = {row.base_url, settings.MEMORY_PROVIDER_URLS.get(provider, "")} - {""}
    usual = settings.MEMORY_PROVIDER_URLS.get(provider) or row.base_url
    url = (plan.base_url if choice == plan.first else "") or usual
    key = settings.MEMORY_PROVIDER_KEYS.get(provider)
    secret = key.get_secret_value() if key is not None and url in known else ""
    lacks = ""
    if not url:
        lacks = sentence("no address is set, see MEMORY_{provider}_BASE_URL", provider=provider.upper())
    elif url == row.base_url and not secret and row.needs_key:
        lacks = sentence("no key is set, see MEMORY_{provider}_API_KEY", provider=provider.upper())
    return Address(provider, url, secret, lacks)


def _same_house(plan: RolePlan, choice: ModelChoice) -> str:
    """Another model of the same provider is asked at the same address."""
    return plan.base_url if choice.provider == plan.first.provider else ""


def _stored(role: Role, text: str) -> ModelChoice:
    """A choice that a newer or older version wrote and this one does not know counts as the default."""
    try:
        return parse_choice(role, text)
    except ValueError:
        return ModelChoice(LOCAL) if role == "embed" else _NOBODY
