"""workspace_lock(): one writer of a workspace at a time, across processes; the kernel releases it when one dies."""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from agents.errors import Conflict
from agents.models import Agent
from agents.paths import data_dir
from agents.waiting import take
from search.documents.answering import answering

WAIT_SECONDS = 20.0
"""Outside requests; a request waits as agents/waiting.py says."""


class _Held(threading.local):
    def __init__(self) -> None:
        self.paths: set[Path] = set()


_own = _Held()


def workspace_lock(agent: Agent, *, timeout: float = WAIT_SECONDS) -> AbstractContextManager[None]:
    """Hold the lock of the agent's workspace folder, also when two agents share it. Raises `Conflict`.

    A thread that holds it may take it again. The lock file lies in the data folder: a workspace holds nothing but the
    owner's own files.
    """
    return flocked(_lock_path(agent), agent=agent.slug, what=f"The workspace of {agent.slug}", seconds=timeout)


def forget_lock(agent: Agent, *, timeout: float = WAIT_SECONDS) -> AbstractContextManager[None]:
    """One forgetting of an agent at a time, whole, with transcript and index. Taken before any other lock."""
    path = data_dir() / "history" / ".locks" / f"forget.{agent.pk}"
    return flocked(path, agent=agent.slug, what=f"Something of {agent.slug} is being forgotten: it", seconds=timeout)


def _lock_path(agent: Agent) -> Path:
    try:
        with answering(Path(agent.workspace)):
            folder = str(Path(agent.workspace).resolve())
    except TimeoutError as error:
        raise Conflict(
            f"The disk of {agent.slug}'s workspace does not answer.", hint="Try again.", code="workspace_busy"
        ) from error
    except (OSError, RuntimeError, ValueError):  # a loop of links, a parent that may not be entered, no path at all
        folder = agent.workspace
    name = hashlib.sha256(folder.encode()).hexdigest()[:32]
    return data_dir() / "history" / ".locks" / name


@contextmanager
def flocked(path: Path, *, agent: str, what: str, seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the `flock` of the file at `path`, which is made when missing with its folder.

    Raises `Conflict` with the code `workspace_busy` when it was not to be had within `seconds`, or within what a
    request may wait; `what` is the sentence's subject.
    """
    if path in _own.paths:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not take(lambda: _locks(handle), lock=str(path), agent=agent, seconds=seconds):
            raise Conflict(f"{what} is being written by others.", hint="Try again in a moment.", code="workspace_busy")
        _own.paths.add(path)
        yield
    finally:
        _own.paths.discard(path)
        os.close(handle)


def _locks(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
