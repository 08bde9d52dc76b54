"""Early warning: which curated files come near the size at which a new chat no longer gets all of them."""

from __future__ import annotations

from agents.agent_settings import read_settings
from agents.context import sources
from agents.context.budget import NEAR_LIMIT, Budgets
from agents.models import Agent


def near_limit(path: str, chars: int, budgets: Budgets) -> str:
    """One sentence from 85 % of the file's budget up to the budget itself; beyond it the cut is announced instead."""
    budget = budgets.of_file(path)
    if not NEAR_LIMIT * budget <= chars <= budget:
        return ""
    return f"{path} has {chars:,} of {budget:,} characters; beyond that new chats get only a part. Shorten it."


def near_limits(agent: Agent) -> list[str]:
    """A sentence for each curated file that is near its limit or over it: for notes, the status and the web admin."""
    budgets = Budgets.of(read_settings(agent.settings))
    sentences = []
    for source in sources.curated(agent, user=None):
        budget = budgets.of_file(source.path)
        if source.total_chars > budget:
            sentences.append(
                f"{source.path} has {source.total_chars:,} characters; new chats get {budget:,} of them. Shorten it."
            )
        elif warning := near_limit(source.path, source.total_chars, budgets):
            sentences.append(warning)
    return sentences
