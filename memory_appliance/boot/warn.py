"""warnings(): a clock that went back, a disk that fills up."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta

from django.utils import timezone

from agents.core.paths import data_dir
from agents.servers.last_seen import last_seen

CLOCK_PATIENCE = timedelta(minutes=2)
LOW_DISK_BYTES = 1024**3


def warnings() -> Iterator[str]:
    """One sentence each, with what to do."""
    now, latest = timezone.now(), last_seen()
    if latest is not None and latest > now + CLOCK_PATIENCE:
        yield (
            f"the clock says {now:%Y-%m-%d %H:%M} UTC, but this server was at work at {latest:%Y-%m-%d %H:%M}: "
            "notes get the wrong day, jobs wait. Set the clock (timedatectl set-ntp true)"
        )
    free = shutil.disk_usage(data_dir()).free
    if free < LOW_DISK_BYTES:
        yield (
            f"only {free // 1024**2} MB are free for {data_dir()}: updates and backups fail when it is full. "
            "Make room, or move it (MEMORY_DATA_DIR)"
        )
