"""repair(): after a power cut or a kill, see that everything is whole, and close what was under way."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from agents.backup.control import control_file, live_problems
from agents.core.apart import apart
from agents.core.paths import data_dir, local_dir
from agents.core.whole_file import remove_unfinished
from agents.models import Agent, Run, Tombstone, WorkspaceWrite
from agents.servers.common_clock import common_now
from agents.upkeep.forget import settle
from agents.workspace.leftovers import take_up_all
from agents.workspace.lock import workspace_lock
from agents.workspace.unfinished import waiting_writes
from memory_appliance.boot.say import LaunchFailed
from search.index.damage import is_damaged, mark_damaged
from search.index.driver import DatabaseError
from search.index.verify import index_problems
from workers.alive import silent_for
from workers.lease import PLACE

RUNNING_SECONDS = 15.0
FORGETTING = timedelta(days=1)
"""A write beside a forgetting may have left a hidden file without a row: one that was cut short began this lately."""
SHARED_SECONDS = 3600.0
"""A lock on a file of a share may not be seen by another machine: what it writes now is left alone for so long."""
INDEX_SECONDS = 20.0
"""How long a start looks at indexes; the nightly care sees the rest, and every search what it meets."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was found after an unclean end."""

    runs: int
    writes: int
    checked: int
    indexes: int
    damaged: tuple[str, ...]
    waiting: tuple[str, ...]
    """Writes that cannot be finished yet: the agent and the reason."""


def ended_uncleanly(*, alone: bool) -> bool:
    """Whether the worker left its sign of life behind: one that ends in order takes it along.

    `alone`: nobody else runs on this data folder. Else one that was heard of just now is simply at work.
    """
    silence = silent_for(local_dir() / "run", "worker")
    return silence is not None and (alone or silence > RUNNING_SECONDS)


def repair() -> Repaired:
    """No worker of this server runs. Raises `LaunchFailed` when the control database is damaged."""
    _check_control()
    # The worker of this server is dead; those of others may be at work.
    ours = {"lease_owner__startswith": f"{PLACE}:"} if settings.MEMORY_SERVER_NAME else {}
    runs = Run.objects.filter(state=Run.State.RUNNING, **ours).update(lease_until=common_now())
    writes = _finish_writes()
    checked, found, damaged = _check_indexes()
    (local_dir() / "run" / "alive" / "worker").unlink(missing_ok=True)
    waiting = tuple(f"{slug}: {reason}" for slug, reason in waiting_writes())
    return Repaired(runs, writes, checked, found, damaged, waiting)


def _check_control() -> None:
    problems = live_problems(thorough=False) if connection.vendor == "sqlite" else []
    if problems:
        raise LaunchFailed(
            f"the control database {control_file()} is damaged: {problems[0]}",
            hint="restore the latest backup: manage.py restore latest --force; the damaged one is kept beside it",
        )


def _finish_writes() -> int:
    """Appends that were cut short are completed, so that the next reader sees whole notes; forgettings are, too."""
    pending = WorkspaceWrite.objects.filter(state=WorkspaceWrite.State.PENDING)
    count = 0
    forgettings = Tombstone.objects.exclude(step=Tombstone.Step.DONE)
    begun = Q(pk__in=pending.values("agent")) | Q(pk__in=forgettings.values("agent"))
    for agent in Agent.objects.filter(begun):
        with apart(agent.slug, "finishing the writes that were cut short"):
            count += settle(agent, timeout=1.0)
    lately = Tombstone.objects.filter(at__gte=timezone.now() - FORGETTING)
    for agent in Agent.objects.filter(pk__in=lately.values("agent")):
        with apart(agent.slug, "taking up a forgetting that was cut short"), workspace_lock(agent, timeout=1.0):
            take_up_all(agent)
    for room in ("history", "transcripts"):
        remove_unfinished(data_dir() / room, idle_seconds=SHARED_SECONDS if settings.MEMORY_SERVER_NAME else 0)
    return count


def _check_indexes() -> tuple[int, int, tuple[str, ...]]:
    """What was written last first: that is what a power cut may have hit."""
    paths = sorted((local_dir() / "indexes").glob("*.sqlite"), key=_written_at, reverse=True)
    until, checked, damaged = time.monotonic() + INDEX_SECONDS, 0, []
    for path in paths:
        if time.monotonic() > until:
            break
        checked += 1
        if is_damaged(path) or (problem := _problem(path)):
            damaged.append(path.stem)
            if not is_damaged(path):
                mark_damaged(path, OSError(problem))
    return checked, len(paths), tuple(damaged)


def _problem(path: Path) -> str:
    try:
        return next(iter(index_problems(path, thorough=False)), "")
    except DatabaseError as error:
        return str(error)


def _written_at(path: Path) -> float:
    """Of the file or of its log, whichever is newer."""
    log = path.with_name(path.name + "-wal")
    return max(one.stat().st_mtime for one in (path, log) if one.exists())
