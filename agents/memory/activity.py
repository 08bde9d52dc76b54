"""count_activity(), activity(): turns and writes by the hour, counted by the worker and read by charts.

Rows of recall events and writes are only ever added, so each is counted once: those after the mark, which moves in the
same transaction. A row younger than a minute waits, because one with a lower number may not be committed yet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Any

from django.db import models, transaction
from django.db.models import Q, Sum
from django.utils import timezone

from agents.models import ActivityHour, ActivityMark, IndexSnapshot, RecallEvent, WorkspaceWrite

OUTCOMES = {
    "ok": "recalled",
    "timeout_partial": "recalled",
    "no_relevant_memory": "nothing",
    "skipped": "skipped",
    "denied": "denied",
    "timeout": "failed",
    "unavailable": "failed",
    "failed": "failed",
}
"""Status of a recall event → column. Times are counted of turns that were looked up: recalled and nothing."""
COLUMNS = ("recalled", "nothing", "skipped", "denied", "failed")
BOUNDS = (5, 10, 20, 35, 50, 75, 100, 150, 250, 500, 1000, 2500, 5000, 10_000, 30_000)
"""Milliseconds at which a span of `took` ends; the last span has no end."""
KEPT = timedelta(days=100)
BATCH = 1_000
"""Rows counted in one transaction: about 50 ms of the control database's writer."""
_SETTLED = timedelta(minutes=1)

Key = tuple[int | None, datetime]


@dataclass(slots=True)
class _Counted:
    numbers: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    took: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))


@dataclass(frozen=True, slots=True)
class Span:
    """An hour or a day. `chunks`: the last that were counted in it; None where none were."""

    at: datetime
    recalled: int = 0
    nothing: int = 0
    skipped: int = 0
    denied: int = 0
    failed: int = 0
    writes: int = 0
    chunks: int | None = None
    took: tuple[int, ...] = ()

    @property
    def turns(self) -> int:
        return self.recalled + self.nothing + self.skipped + self.denied + self.failed

    def percentile(self, share: float) -> float | None:
        """Milliseconds within which this share of the turns was answered, to the width of a span; None without any."""
        return percentile(self.took, share)


def percentile(took: Sequence[int], share: float) -> float | None:
    """See `Span.percentile`. Within a span the turns count as spread evenly."""
    if not took:
        return None
    wanted, seen = share * sum(took), 0
    for count, low, high in zip(took, (0, *BOUNDS), (*BOUNDS, BOUNDS[-1]), strict=True):
        if count and seen + count >= wanted:
            return low + (high - low) * (wanted - seen) / count
        seen += count
    return None


def count_activity(*, batches: int = 50) -> int:
    """Count what came since the last time, at most `batches` × `BATCH` rows of each table. Returns how many."""
    counted = 0
    for _ in range(batches):
        with transaction.atomic():
            done = _count(RecallEvent, ("status", "elapsed_ms"), _turn) + _count(WorkspaceWrite, (), _write)
        counted += done
        if not done:
            break
    _note_chunks()
    return counted


def prune_activity() -> int:
    return ActivityHour.objects.filter(at__lt=timezone.now() - KEPT).delete()[0]


def activity(agents: Q | None, *, since: datetime, days: bool, zone: tzinfo) -> list[Span]:
    """Spans with something in them, the earliest first. `agents` filters by agent; None: the rows of all together."""
    rows = ActivityHour.objects.filter(Q(agent=None) if agents is None else agents, at__gte=since)
    found: dict[datetime, list[ActivityHour]] = defaultdict(list)
    for row in rows.order_by("at").iterator():
        at = row.at.astimezone(zone)
        found[at.replace(hour=0, minute=0) if days else at].append(row)
    return [_span(at, rows) for at, rows in found.items()]


def turns_by_hour(agents: Sequence[int], *, since: datetime) -> dict[int, dict[datetime, int]]:
    """Agent → hour (UTC) → turns, for sparklines."""
    found: dict[int, dict[datetime, int]] = defaultdict(dict)
    rows = ActivityHour.objects.filter(agent__in=agents, at__gte=since).values_list("agent_id", "at", *COLUMNS)
    for agent, at, *counts in rows:
        found[agent][at] = sum(counts)
    return found


def _span(at: datetime, rows: list[ActivityHour]) -> Span:
    numbers = {column: sum(getattr(row, column) for row in rows) for column in (*COLUMNS, "writes")}
    took = tuple(map(sum, zip(*(row.took for row in rows if row.took), strict=True)))
    chunks = next((row.chunks for row in reversed(rows) if row.chunks is not None), None)
    return Span(at, took=took, chunks=chunks, **numbers)


def _count(table: type[models.Model], columns: tuple[str, ...], add: Any) -> int:
    name = table.__name__
    ActivityMark.objects.get_or_create(table=name)
    mark = ActivityMark.objects.select_for_update().get(table=name)
    settled = timezone.now() - _SETTLED
    rows = list(
        table._base_manager.filter(pk__gt=mark.counted)
        .order_by("pk")
        .values_list("pk", "agent_id", "at", *columns)[:BATCH]
    )
    rows = list(_until(rows, settled))
    if not rows:
        return 0
    found: dict[Key, _Counted] = defaultdict(_Counted)
    for _, agent, at, *values in rows:
        hour = at.replace(minute=0, second=0, microsecond=0)
        for key in ((agent, hour), (None, hour)):
            add(found[key], *values)
    _store(found)
    mark.counted = rows[-1][0]
    mark.save(update_fields=["counted"])
    return len(rows)


def _until(rows: list[tuple[Any, ...]], settled: datetime) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        if row[2] > settled:
            return
        yield row


def _turn(counted: _Counted, status: str, elapsed_ms: float) -> None:
    column = OUTCOMES.get(status, "failed")
    counted.numbers[column] += 1
    if column in ("recalled", "nothing"):
        counted.took[sum(elapsed_ms >= bound for bound in BOUNDS)] += 1


def _write(counted: _Counted) -> None:
    counted.numbers["writes"] += 1


def _store(found: dict[Key, _Counted]) -> None:
    hours = [hour for _, hour in found]
    there = {(row.agent_id, row.at): row for row in ActivityHour.objects.filter(at__gte=min(hours), at__lte=max(hours))}
    made = []
    for key, counted in found.items():
        row = there.get(key)
        if row is None:
            made.append(row := ActivityHour(agent_id=key[0], at=key[1]))
        for column, number in counted.numbers.items():
            setattr(row, column, getattr(row, column) + number)
        if any(counted.took):
            before = row.took or [0] * len(counted.took)
            row.took = [old + new for old, new in zip(before, counted.took, strict=True)]
    ActivityHour.objects.bulk_create(made, batch_size=500)
    kept = [there[key] for key in found if key in there]
    ActivityHour.objects.bulk_update(kept, [*COLUMNS, "took", "writes"], batch_size=100)


def _note_chunks() -> None:
    """How large the indexes are now, on the row of all agents for this hour."""
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    chunks = IndexSnapshot.objects.aggregate(chunks=Sum("chunks"))["chunks"] or 0
    row, made = ActivityHour.objects.get_or_create(agent=None, at=hour, defaults={"chunks": chunks})
    if not made and row.chunks != chunks:
        ActivityHour.objects.filter(pk=row.pk).update(chunks=chunks)
