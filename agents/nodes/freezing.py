"""refuse_while_moving(): nothing is written to an agent that is on the move, or that has moved away meanwhile.

Asked inside the lock that guards the files. Whoever freezes an agent sets `frozen_at` first and then passes through the
same locks once (`drain`): a writer was either done by then, or sees that the agent is frozen.
"""

from __future__ import annotations

from agents.errors import RuleError
from agents.models import Agent
from agents.nodes.ownership import own_name


class AgentMoving(RuleError):
    """The agent only reads for the moment (HTTP 503)."""

    code = "agent_moving"

    def __init__(self, slug: str) -> None:
        super().__init__(
            f"Agent {slug} is moving to another node; it can be read meanwhile.", hint="Try again in a few seconds."
        )


def refuse_while_moving(agent: Agent) -> None:
    """Raises `AgentMoving`. Costs a single server nothing."""
    if not own_name():
        return
    now = Agent.objects.filter(pk=agent.pk).values_list("node", "frozen_at").first()
    if now is not None and now != (own_name(), None):
        raise AgentMoving(agent.slug)
