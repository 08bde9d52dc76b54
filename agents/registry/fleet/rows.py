"""fleet(): one page of agents with their indexes, jobs and recalls; six queries, whatever the number of agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TypeVar

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from agents.core.paging import Page, page_of
from agents.jobs.runs import WORDS_KINDS
from agents.models import Agent, IndexSnapshot, Run
from agents.registry.fleet.attention import State, state_of, wants_a_look
from agents.registry.fleet.totals import recall_outcomes

Thing = TypeVar("Thing")

PAGE = 40
STRIP = 20
"""Updates shown per agent."""


@dataclass(frozen=True, slots=True)
class FleetRow:
    """One agent. `strip`: states of its last updates, the oldest first; `recalls`: turns of the last day by outcome."""

    agent: Agent
    state: State
    snapshot: IndexSnapshot | None
    jobs: tuple[Run, ...]
    strip: tuple[str, ...]
    recalls: Mapping[str, int]

    @property
    def embedded_share(self) -> float:
        """Of the chunks, those that have their vector; 1 only when all have."""
        if self.snapshot is None or not self.snapshot.chunks:
            return 1.0
        return self.snapshot.embedded / self.snapshot.chunks

    @property
    def embedded_percent(self) -> int:
        return int(self.embedded_share * 100)


def fleet(visible: Q, *, name: str = "", attention: bool = False, number: int = 1) -> Page[FleetRow]:
    """Agents that want a look first, then by slug. `name`: a part of the slug or the name."""
    now = timezone.now()
    wanted = Agent.objects.filter(visible).annotate(look=wants_a_look(now)).order_by("-look", "slug")
    if name:
        wanted = wanted.filter(Q(slug__icontains=name) | Q(name__icontains=name))
    if attention:
        wanted = wanted.filter(look=1)
    page = page_of(_with_oldest_shown(wanted), number, size=PAGE)
    return Page(_rows(page.rows, now), page.number, page.pages, page.found)


def _with_oldest_shown(agents: QuerySet[Agent]) -> QuerySet[Agent]:
    updates = Run.objects.filter(agent=OuterRef("pk"), kind__in=WORDS_KINDS).order_by("-pk")
    oldest = Subquery(updates.values("pk")[STRIP - 1 : STRIP])
    return agents.select_related("snapshot").annotate(oldest_shown=oldest)


def _rows(agents: Sequence[Agent], now: datetime) -> tuple[FleetRow, ...]:
    if not agents:
        return ()
    strips = _by_agent(_last_updates(agents))
    active = Run.objects.filter(agent__in=agents, state__in=Run.ACTIVE).order_by("pk")
    jobs = _by_agent((run.agent_id, run) for run in active)
    recalls = recall_outcomes(Q(agent__in=agents))
    return tuple(
        FleetRow(
            agent=agent,
            state=state_of(agent, snapshot := getattr(agent, "snapshot", None), now),
            snapshot=snapshot,
            jobs=tuple(jobs.get(agent.pk, ())),
            strip=tuple(strips.get(agent.pk, ())),
            recalls=recalls.get(agent.pk, {}),
        )
        for agent in agents
    )


def _last_updates(agents: Sequence[Agent]) -> Iterable[tuple[int | None, str]]:
    """Each agent's from its own oldest one on: nothing that is not shown is read."""
    own = (Q(agent=agent, pk__gte=getattr(agent, "oldest_shown", None) or 0) for agent in agents)
    runs = Run.objects.filter(reduce(or_, own), kind__in=WORDS_KINDS)
    return runs.order_by("pk").values_list("agent_id", "state")


def _by_agent(pairs: Iterable[tuple[int | None, Thing]]) -> dict[int, list[Thing]]:
    sorted_out: dict[int, list[Thing]] = {}
    for agent, thing in pairs:
        if agent is not None:
            sorted_out.setdefault(agent, []).append(thing)
    return sorted_out
