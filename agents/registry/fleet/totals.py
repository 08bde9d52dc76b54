"""totals(), jobs_under_way(), recall_outcomes(): sums over agents, one query each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q, Sum
from django.utils import timezone

from agents.models import Agent, RecallEvent, Run
from agents.registry.fleet.attention import wants_a_look

DAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Totals:
    agents: int
    attention: int
    files: int
    chunks: int
    embedded: int
    size_bytes: int

    @property
    def embedded_percent(self) -> int:
        """100 only when every chunk has its vector."""
        return int(100 * self.embedded / self.chunks) if self.chunks else 100


@dataclass(frozen=True, slots=True)
class JobCount:
    """Jobs of one kind that wait or run. `since`: when the longest waiting one was made; None when none waits."""

    kind: str
    waiting: int
    running: int
    since: datetime | None


def totals(visible: Q) -> Totals:
    found = (
        Agent.objects.filter(visible)
        .annotate(look=wants_a_look(timezone.now()))
        .aggregate(
            agents=Count("pk"),
            attention=Sum("look"),
            files=Sum("snapshot__files"),
            chunks=Sum("snapshot__chunks"),
            embedded=Sum("snapshot__embedded"),
            size_bytes=Sum("snapshot__size_bytes"),
        )
    )
    return Totals(**{name: value or 0 for name, value in found.items()})


def jobs_under_way(visible: Q | None = None) -> tuple[JobCount, ...]:
    """Kinds of which something waits or runs, of these agents; None: of all, and downloads too."""
    active = Run.objects.filter(state__in=Run.ACTIVE)
    if visible is not None:
        active = active.filter(agent__in=Agent.objects.filter(visible))
    queued = Q(state=Run.State.QUEUED)
    rows = (
        active.order_by("kind")
        .values_list("kind")
        .annotate(
            waiting=Count("pk", filter=queued),
            running=Count("pk", filter=~queued),
            since=Min("created_at", filter=queued),
        )
    )
    return tuple(JobCount(*row) for row in rows)


def recall_outcomes(agents: Q) -> dict[int, dict[str, int]]:
    """Agent → outcome → turns of the last day. `agents` filters recall events."""
    rows = (
        RecallEvent.objects.filter(agents, at__gte=timezone.now() - DAY)
        .order_by()
        .values_list("agent_id", "status")
        .annotate(count=Count("pk"))
    )
    counts: dict[int, dict[str, int]] = {}
    for agent, status, count in rows:
        counts.setdefault(agent, {})[status] = count
    return counts
