"""list_triggers(): the phrases that call up an agent's curated notes, with what is wrong with them."""

from __future__ import annotations

from agents.indexes.specs import index_spec
from agents.models import Agent
from search.recall.trigger_report import Trigger, trigger_report


def list_triggers(agent: Agent, *, containing: str = "", flawed: bool = False) -> tuple[Trigger, ...]:
    """Those whose phrase or entry has the text `containing`, in any case; `flawed`: those with something wrong.

    Raises `IndexUnavailable`.
    """
    wanted = containing.strip().casefold()
    return tuple(
        trigger
        for trigger in trigger_report(index_spec(agent))
        if (trigger.flaws or not flawed)
        and (wanted in trigger.phrase.casefold() or wanted in trigger.entry.text.casefold())
    )
