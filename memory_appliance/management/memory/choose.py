"""Which agents a subcommand is about: the one that was named, the only one there is, or all."""

from __future__ import annotations

from agents.models import Agent
from agents.selectors import get_agent, list_agents
from memory_appliance.management.memory.output import Failed


def one_agent(slug: str | None) -> Agent:
    """Raises `NotFound` for an unknown name, `Failed` when none was given and the choice is not clear."""
    if slug is not None:
        return get_agent(slug)
    slugs = list(list_agents().values_list("slug", flat=True))
    if not slugs:
        raise Failed("There is no agent yet. Create one with POST /api/v1/agents or on the admin page.")
    if len(slugs) > 1:
        raise Failed(f"Which agent? Give --agent with one of: {', '.join(slugs)}.")
    return get_agent(slugs[0])


def some_agents(slug: str | None) -> list[Agent]:
    """The named one, else all."""
    return [get_agent(slug)] if slug is not None else list(list_agents().prefetch_related("collections"))
