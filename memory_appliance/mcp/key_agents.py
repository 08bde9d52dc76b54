"""Which agents a key's tools are about: the one that is named, or the only one there is."""

from __future__ import annotations

from django.db.models import Q

from agents.access.secrets import visible_agents
from agents.core.errors import Invalid, NotFound
from agents.models import ApiKey
from agents.registry.selectors import first_agents, list_agents


def agent_for(key: ApiKey, named: str | None) -> str:
    """The slug to ask. Whether the key may is for the gate to say. Raises `Invalid` when none can be chosen."""
    if named is not None:
        return named
    slugs = first_agents(visible_agents(key))
    if not slugs:
        raise NotFound("This key is for no agent that exists.", hint="Create an agent, or a key for one that exists.")
    if len(slugs) > 1:
        raise Invalid("This key is for several agents.", hint="Name one with the argument agent.", field="agent")
    return slugs[0]


def must_be_named(key: ApiKey) -> list[str] | None:
    """None when the key has one agent; else the names to choose from, [] when that is every agent."""
    if len(first_agents(visible_agents(key))) < 2:
        return None
    return [] if key.agents == "*" else sorted(key.agents)


def any_memory_on(key: ApiKey) -> bool:
    """Whether at least one of the key's agents has its memory switched on."""
    on = Q(settings__memory_enabled__isnull=True) | Q(settings__memory_enabled=True)
    return list_agents(visible_agents(key)).filter(on).exists()
