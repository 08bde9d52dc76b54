"""steps_after(): what to try when a search found nothing, each as a link that does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from agents.core.agent_settings import AgentSettings
from agents.models import Agent
from memory_appliance.web.playground.asked import Asked
from search.outcome import SearchOutcome


@dataclass(frozen=True, slots=True)
class Step:
    label: str
    address: str


def steps_after(asked: Asked, outcome: SearchOutcome, own: AgentSettings, agent: Agent) -> tuple[Step, ...]:
    return tuple(_steps(asked, outcome, own, agent))


def _steps(asked: Asked, outcome: SearchOutcome, own: AgentSettings, agent: Agent) -> Iterator[Step]:
    least = own.min_score if asked.min_score is None else asked.min_score
    if outcome.outcome == "abstained":
        yield Step(_("Show uncertain results too"), asked.address(abstain=False))
    elif least > 0:
        yield Step(_("Show results of any score"), asked.address(min_score=0.0))
    if asked.collections:
        yield Step(_("Search every collection"), asked.address(collections=()))
    if asked.corpus != "all":
        yield Step(_("Search chats too"), asked.address(corpus="all"))
    if outcome.requested_mode in ("search", "vsearch"):
        yield Step(_("Search by words and meaning"), asked.address(modes=("hybrid",)))
    if '"' in asked.query:
        yield Step(_("Leave out the quotation marks"), asked.address(query=asked.query.replace('"', " ")))
    yield Step(_("View the files in this memory"), reverse("files", args=[agent.slug]))
