"""processes(): the programs of this server and their memory, as the system sees them or as they say themselves."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from agents.models import WorkerHeartbeat
from memory_appliance.embedding import models_client
from memory_appliance.health import HEARTBEAT_PATIENCE

_PROC = Path("/proc")
_MARKS = (
    ("workers.process", "models"),
    ("memory_appliance.chat_proxy", "chat-proxy"),
    ("granian", "web"),
    ("memory_appliance.model_worker", "model-worker"),
    ("memory_appliance.clock", "beat"),
    ("memory_appliance.launch.watch", "watcher"),
    ("memory_appliance.launch.models_setup", "setup-models"),
    ("celery", "worker"),
    ("valkey", "broker"),
)
"""What a command line holds → the program; the first that fits."""


@dataclass(frozen=True, slots=True)
class Process:
    """One program with all its processes. What they share counts in each, so the sum is a little high."""

    name: str
    count: int
    rss_bytes: int


def processes() -> tuple[Process, ...]:
    """The programs below the supervisor. In containers there is none: there the others say what they hold."""
    try:
        top = int((Path(settings.MEMORY_LOCAL_DIR) / "run" / "supervisord.pid").read_text())
        children = _children()
    except (OSError, ValueError):
        top, children = 0, {}
    if top not in children:
        return _as_they_say()
    found: dict[str, list[int]] = {}
    for child in children[top]:
        found.setdefault(_name(child), []).extend(_resident(pid) for pid in _tree(child, children))
    return tuple(Process(name, len(sizes), sum(sizes)) for name, sizes in sorted(found.items()))


def _as_they_say() -> tuple[Process, ...]:
    alive = WorkerHeartbeat.objects.filter(at__gt=timezone.now() - HEARTBEAT_PATIENCE)
    said = [
        ("web", _resident(os.getpid())),
        ("models", models_client().status().rss_bytes),
        *((row.name, int(row.detail.get("rss", 0))) for row in alive),
    ]
    return tuple(Process(name, 1, size) for name, size in said if size)


def _children() -> dict[int, list[int]]:
    """Parent → its children, of every process of this machine."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in os.scandir(_PROC):
        if entry.name.isdigit():
            try:
                # The name in brackets may hold anything: the parent is the second field after it.
                fields = (_PROC / entry.name / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            children[int(fields[1])].append(int(entry.name))
    return children


def _tree(pid: int, children: dict[int, list[int]]) -> Iterator[int]:
    yield pid
    for child in children.get(pid, ()):
        yield from _tree(child, children)


def _name(pid: int) -> str:
    try:
        line = (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        line = ""
    return next((name for mark, name in _MARKS if mark in line), "other")


def _resident(pid: int) -> int:
    """Bytes in memory; 0 for a process that has ended."""
    try:
        pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
