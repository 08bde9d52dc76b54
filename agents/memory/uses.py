"""Which files searches and recalls bring up: counted in memory on the way, written down a few seconds later.

A search pays one look into a dictionary. What a process has not written down yet when it is killed is lost: at most
`WRITE_SECONDS` of counts, which change no picture. What a person tries on a page is not counted.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import DatabaseError, transaction
from django.db.models import F, Min
from django.utils import timezone

from agents.indexes.specs import CURATED, index_spec
from agents.models import Agent, FileUse
from search.index.old_files import OldFile, indexed_paths, old_files

logger = logging.getLogger(__name__)

WRITE_SECONDS = 10.0
MOST_WAITING = 2_000
"""Files that a process counts until it writes; what comes up beyond that is not counted."""
STALE_DAYS = 90
KEEP = timedelta(days=400)
MOST_SHOWN = 20

_waiting: Counter[tuple[int, str]] = Counter()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Uses:
    """`since` when is counted (None: nothing was found yet); `never` are old files that nothing brought up."""

    since: datetime | None
    often: tuple[FileUse, ...]
    never: tuple[OldFile, ...]
    never_total: int
    older_than: date


def count_found(agent: Agent, paths: Iterable[str]) -> None:
    """A search or a recall has brought these files up. Touches no database."""
    with _lock:
        for path in set(paths):
            if (agent.pk, path) in _waiting or len(_waiting) < MOST_WAITING:
                _waiting[agent.pk, path] += 1


def store_uses() -> int:
    """Write down what has been counted; how many files. What a busy database refuses is tried again the next time."""
    with _lock:
        counted = Counter(_waiting)
        _waiting.clear()
    if not counted:
        return 0
    try:
        with transaction.atomic():
            _store(counted, timezone.now())
    except DatabaseError as error:
        logger.info("what searches found is written down later", extra={"reason": str(error)})
        with _lock:
            _waiting.update(counted)
    return len(counted)


def uses(agent: Agent, *, now: datetime | None = None) -> Uses:
    """Three queries, and two looks into the index."""
    day = ((now or timezone.now()) - timedelta(days=STALE_DAYS)).date()
    rows = FileUse.objects.filter(agent=agent)
    spec = index_spec(agent)
    since = rows.aggregate(since=Min("first_at"))["since"]
    most = list(rows[: 3 * MOST_SHOWN])
    there = indexed_paths(spec, [row.path for row in most])
    often = tuple(row for row in most if row.path in there)[:MOST_SHOWN]
    found = [*CURATED, *rows.values_list("path", flat=True)]
    never, total = old_files(spec, before=day, without=found, limit=MOST_SHOWN)
    return Uses(since, often, never, total, day)


def forget_uses(agent: Agent, paths: Iterable[str]) -> None:
    """What is forgotten leaves no count behind."""
    with _lock:
        for path in paths:
            _waiting.pop((agent.pk, path), None)
    FileUse.objects.filter(agent=agent, path__in=list(paths)).delete()


def prune_uses() -> int:
    """Forget what nothing has found for a long time. Returns how many counts went."""
    return FileUse.objects.filter(last_at__lt=timezone.now() - KEEP).delete()[0]


def _store(counted: Counter[tuple[int, str]], now: datetime) -> None:
    alive = set(Agent.objects.filter(pk__in={agent for agent, _ in counted}).values_list("pk", flat=True))
    rows = [
        FileUse(agent_id=agent, path=path[:1024], found=0, first_at=now, last_at=now)
        for agent, path in counted
        if agent in alive
    ]
    FileUse.objects.bulk_create(rows, ignore_conflicts=True)
    for row in rows:
        FileUse.objects.filter(agent_id=row.agent_id, path=row.path).update(
            found=F("found") + counted[row.agent_id, row.path], last_at=now
        )
