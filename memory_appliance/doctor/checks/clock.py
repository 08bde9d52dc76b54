"""Clock: it has not gone back, and the disk's own clock agrees."""

from __future__ import annotations

import tempfile
import time
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from agents.core.paths import data_dir
from agents.servers.last_seen import last_seen
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.sentences import sentence

PATIENCE = timedelta(minutes=2)
_DISK_SECONDS = 5.0
_TODO = "Set the clock and keep it right: timedatectl set-ntp true. Decay, day names and deadlines go by it."


def _look(visit: Visit) -> Looking:
    now, latest = timezone.now(), last_seen()
    if latest is not None and latest > now + PATIENCE:
        behind = timedelta(seconds=round((latest - now).total_seconds()))
        yield Seen(
            "problem",
            sentence(
                "It is {now} UTC by the clock, but this server has seen {latest}.",
                now=f"{now:%F %T}",
                latest=f"{latest:%F %T}",
            ),
            _TODO,
            "back",
            sentence("Clock ({behind} behind)", behind=behind),
        )
        return
    skew = _disk_skew(data_dir())
    if abs(skew) > _DISK_SECONDS:
        yield Seen(
            "warning",
            sentence("The disk of the data folder is {skew:+.0f} s away from this machine's clock.", skew=skew),
            _TODO,
            "disk",
        )
        return
    yield Seen("ok", sentence("{now} UTC, and it never went back.", now=f"{now:%F %T}"))


def _disk_skew(folder: Path) -> float:
    """A network disk stamps files by the clock of its own machine."""
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(b"canary")
        file.flush()
        return Path(file.name).stat().st_mtime - time.time()


CLOCK = Check("clock", "Clock", _look, needs_database=True)
