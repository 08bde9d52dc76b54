"""Which agents a subcommand is about: the one that was named, the only one there is, or all."""

from __future__ import annotations

from agents.core.errors import NotFound
from agents.models import Agent
from agents.registry.selectors import get_agent, list_agents
from memory_appliance.management.memory.output import Failed


def one_agent(slug: str | None) -> Agent:
    """Raises `Failed` for an unknown name, and when none was given and the choice is not clear."""
    if slug is not None:
        return _named(slug)
    slugs = list(list_agents().values_list("slug", flat=True))
    if not slugs:
        raise Failed("There is no agent yet. Create one with POST /api/v1/agents or on the admin page.")
    if len(slugs) > 1:
        raise Failed(f"Which agent? Give --agent with one of: {', '.join(slugs)}.")
    return _named(slugs[0])


def some_agents(slug: str | None) -> list[Agent]:
    """The named one, else all."""
    return [_named(slug)] if slug is not None else list(list_agents().prefetch_related("collections"))


def _named(slug: str) -> Agent:
    try:
        return get_agent(slug)
    except NotFound as error:
        known = ", ".join(list_agents().values_list("slug", flat=True)) or "none yet"
        raise Failed(f"{error.message} There are: {known}.") from error
