"""workspace_lock(): one writer of a workspace at a time, across processes; the kernel releases it when one dies."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.errors import Conflict
from agents.models import Agent
from agents.nodes.freezing import refuse_while_moving
from agents.paths import data_dir

WAIT_SECONDS = 20.0
_POLL_SECONDS = 0.005


@contextmanager
def workspace_lock(agent: Agent, *, timeout: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of the agent's workspace folder, also when two agents share it. Raises `Conflict`, `AgentMoving`.

    The lock file lies in the data folder: a workspace holds nothing but the owner's own files.
    """
    with _held(agent, timeout):
        refuse_while_moving(agent)
        yield


def drain_workspace(agent: Agent, *, timeout: float = WAIT_SECONDS) -> None:
    """Wait until whoever writes now has finished. Raises `Conflict`."""
    with _held(agent, timeout):
        pass


@contextmanager
def _held(agent: Agent, timeout: float) -> Iterator[None]:
    name = hashlib.sha256(str(Path(agent.workspace).resolve()).encode()).hexdigest()[:32]
    folder = data_dir() / "history" / ".locks"
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _acquire(handle, agent.slug, timeout)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, slug: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Conflict(
                    f"The workspace of {slug} is being written by others for more than {timeout:.0f} s.",
                    hint="Try again in a moment.",
                    code="workspace_busy",
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return
