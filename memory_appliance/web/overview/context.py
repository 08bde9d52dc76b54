"""Overview: everything the first page shows, put into words; the same for the whole page and for its live part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from agents.core.paging import Page
from agents.registry.fleet import FleetRow, JobCount, State, Totals, fleet, jobs_under_way, totals
from memory_appliance.embedding import models_client
from memory_appliance.health import health
from memory_appliance.processes import processes
from memory_appliance.web.activity import sparks
from memory_appliance.web.told import told
from memory_appliance.web.words import OUTCOMES, TROUBLED_OUTCOMES, degradation, troubles

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from workers.model_status import ModelStatus

FAST_SECONDS, SLOW_SECONDS = 2, 15
MOST_NEEDS = 5
"""Agents listed first because they need attention."""
MOST_WORDS = 3
"""Sentences shown per agent; its own page has all."""

STATES: dict[State, tuple[StrOrPromise, str]] = {
    "fresh": (_("up to date"), "good"),
    "new": (_("new"), ""),
    "degraded": (_("degraded"), "warn"),
    "late": (_("out of date"), "warn"),
    "failed": (_("update failed"), "bad"),
    "off": (_("off"), ""),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many turns of a day came to this."""

    count: int
    label: StrOrPromise
    trouble: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One agent as the page shows it."""

    row: FleetRow
    label: StrOrPromise
    tag: str
    words: tuple[StrOrPromise, ...]
    more: int
    outcomes: tuple[Outcome, ...]
    spark: str
    """Path of a sparkline of the turns of 24 hours; "" without any."""

    @property
    def strip_label(self) -> str:
        """The strip for those who hear it."""
        count = len(self.row.strip)
        failed = self.row.strip.count("failed")
        if failed:
            told = ngettext("The last update failed", "%(failed)d of the last %(count)d updates failed", count)
        else:
            told = ngettext("The last update succeeded", "The last %(count)d updates succeeded", count)
        return told % {"failed": failed, "count": count}


@dataclass(frozen=True, slots=True)
class Need:
    """An agent that needs attention: what is wrong with it, and since when it is not up to date."""

    row: FleetRow
    label: StrOrPromise
    tag: str
    what: StrOrPromise


@dataclass(frozen=True, slots=True)
class Server:
    """For owners: the model, and the memory of all processes."""

    model: ModelStatus
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Overview:
    fleet: Page[FleetRow]
    lines: tuple[Line, ...]
    totals: Totals
    jobs: tuple[JobCount, ...]
    troubles: tuple[StrOrPromise, ...]
    server: Server | None
    filtered: bool
    needs: tuple[Need, ...]

    @property
    def more_needs(self) -> int:
        return max(0, self.totals.attention - len(self.needs))

    @property
    def waiting(self) -> int:
        return sum(job.waiting for job in self.jobs)

    @property
    def running(self) -> int:
        return sum(job.running for job in self.jobs)

    @property
    def poll_seconds(self) -> int:
        return FAST_SECONDS if self.waiting or self.running else SLOW_SECONDS


def overview_of(visible_agents: Q, *, owner: bool, name: str, attention: bool, number: int) -> Overview:
    page = fleet(visible_agents, name=name, attention=attention, number=number)
    sums = totals(visible_agents)
    drawn = sparks([row.agent.pk for row in page.rows])
    return Overview(
        fleet=page,
        lines=tuple(_line(row, drawn.get(row.agent.pk, "")) for row in page.rows),
        totals=sums,
        jobs=jobs_under_way(None if owner else visible_agents),
        troubles=tuple(troubles(health())) if owner else (),
        server=_server() if owner else None,
        filtered=bool(name or attention),
        needs=_needs(visible_agents) if sums.attention else (),
    )


def _needs(visible_agents: Q) -> tuple[Need, ...]:
    rows = fleet(visible_agents, name="", attention=True, number=1).rows[:MOST_NEEDS]
    return tuple(Need(row, *STATES[row.state], next(iter(_words(row)), "")) for row in rows)


def _server() -> Server:
    memory = sum(process.rss_bytes for process in processes())
    return Server(models_client().status(), memory)


def _line(row: FleetRow, spark: str) -> Line:
    label, tag = STATES[row.state]
    words = _words(row)
    outcomes = tuple(
        Outcome(row.recalls[status], label, status in TROUBLED_OUTCOMES)
        for status, label in OUTCOMES.items()
        if status in row.recalls
    )
    return Line(row, label, tag, tuple(words[:MOST_WORDS]), max(0, _told(row) - MOST_WORDS), outcomes, spark)


def _words(row: FleetRow) -> list[StrOrPromise]:
    words: list[StrOrPromise] = [told(row.agent.last_error)] if row.agent.last_error else []
    if row.snapshot is not None:
        words += [degradation(one["code"]) for one in row.snapshot.degraded]
        words += [told(note) for note in row.snapshot.notes]
    return words


def _told(row: FleetRow) -> int:
    """How many sentences there would be: of the problems only the first are kept."""
    kept = len(_words(row))
    return kept if row.snapshot is None else max(kept, kept - len(row.snapshot.notes) + row.snapshot.problems)
