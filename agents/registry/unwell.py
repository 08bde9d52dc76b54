"""unwell_agents(): which agents need a person's look; from the control database alone."""

from __future__ import annotations

from django.db.models import Q

from agents.core.agent_settings import memory_on
from agents.models import Agent, WorkspaceWrite

MOST = 50


def unwell_agents() -> list[str]:
    """Slugs of agents whose last update failed or that have a write that cannot be finished; at most MOST.

    One that is switched off needs nothing.
    """
    waiting = WorkspaceWrite.objects.filter(state=WorkspaceWrite.State.PENDING).exclude(problem="")
    found = Agent.objects.filter(~Q(last_error="") | Q(pk__in=waiting.values("agent")))
    rows = found.order_by("slug").values_list("slug", "settings")[:MOST]
    return [slug for slug, own in rows if memory_on(own)]
