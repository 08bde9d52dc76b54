"""A clock that sleeping moves, and locks of an agent as somebody else holds them."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agents.core.paths import index_path
from agents.locking import waiting
from agents.models import Agent
from agents.transcripts import files
from agents.workspace.lock import _lock_path
from search.index.locks import lock_path

CHAT = "agent:al:main"


@dataclass
class Clock:
    """Stands for the module `time`; `sleepers` are the threads that slept."""

    now: float = 1000.0
    sleepers: list[int] = field(default_factory=list)
    asleep: Callable[[], None] = lambda: None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.sleepers.append(threading.get_ident())
        self.now += seconds
        self.asleep()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(waiting, "time", clock)
    monkeypatch.setattr(waiting, "_in_vain", {})
    return clock


@contextmanager
def held(path: Path) -> Iterator[None]:
    """As by another process: a `flock` belongs to the open file, not to the process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)


def locks_of(agent: Agent) -> dict[str, Path]:
    chat = files.transcripts_dir(agent) / "locks" / files.folder_name(CHAT)
    return {
        "workspace": _lock_path(agent),
        "transcript": chat.with_name(f"{chat.name}.turns"),
        "flush": chat.with_name(f"{chat.name}.flush"),
        "index": lock_path(index_path(agent.slug)),
    }
