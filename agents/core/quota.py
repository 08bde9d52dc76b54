"""room_for(): no more is written for an agent than its disk quota allows.

The quota is of the bytes of workspace and transcripts. The update run counts them; what the appliance writes in between
is added to that, so that no write walks over the files. What a person puts there is noticed with the next update.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db.models import F

from agents.core.agent_settings import read_settings
from agents.core.errors import RuleError
from agents.core.paths import data_dir
from agents.models import Agent
from search.sentences import sentence

MB = 1_000_000


class QuotaExceeded(RuleError):
    """The agent's files would take more room than they may (HTTP 507)."""

    code = "quota_exceeded"


def quota_mb(agent: Agent) -> int:
    """0: none."""
    own = read_settings(agent).disk_quota_mb
    return int(settings.MEMORY_AGENT_DISK_QUOTA_MB) if own is None else own


@contextmanager
def room_for(agent: Agent, size: int) -> Iterator[None]:
    """Take `size` bytes of the quota for what the block writes; given back when the block fails.

    A negative size, of what gets smaller, is never refused. Raises `QuotaExceeded` before anything is written. Costs an
    agent without a quota nothing, and else one row.
    """
    limit = quota_mb(agent) * MB
    if not limit or not size:
        yield
        return
    row = Agent.objects.filter(pk=agent.pk)
    if row.filter(disk_bytes__isnull=True).exists():
        recount(agent)
    fits = row.alias(used=F("disk_bytes") + F("disk_written")).filter(used__lte=limit - size) if size > 0 else row
    if not fits.update(disk_written=F("disk_written") + size):
        raise _exceeded(agent, limit, size)
    try:
        yield
    except BaseException:
        row.update(disk_written=F("disk_written") - size)
        raise


def recount(agent: Agent) -> None:
    """Count what is there, for an agent with a quota. A walk over its folders: of the update run's kind of work."""
    if not quota_mb(agent):
        return
    row = Agent.objects.filter(pk=agent.pk)
    before = row.values_list("disk_written", flat=True).first() or 0
    found = _size_of(Path(agent.workspace)) + _size_of(data_dir() / "transcripts" / agent.slug)
    row.update(disk_bytes=found, disk_written=F("disk_written") - before)


def count_again(agent: Agent) -> None:
    """Files have gone, or the quota is another: the next write counts first."""
    Agent.objects.filter(pk=agent.pk).update(disk_bytes=None)


def _exceeded(agent: Agent, limit: int, size: int) -> QuotaExceeded:
    counted, written = Agent.objects.values_list("disk_bytes", "disk_written").get(pk=agent.pk)
    used = (counted or 0) + written
    return QuotaExceeded(
        sentence(
            "The files of {slug} take {used:,} of {limit:,} bytes; this would add {size:,}, so it was not written.",
            slug=agent.slug,
            used=used,
            limit=limit,
            size=size,
        ),
        hint=sentence("Remove files or forget chats (room is noticed with the next update), or raise disk_quota_mb."),
    )


def _size_of(folder: Path) -> int:
    """Links are not followed, and what cannot be read counts nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - a walk over many files
            except OSError:
                continue  # it went meanwhile
    return total
