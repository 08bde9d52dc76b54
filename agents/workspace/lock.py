"""workspace_lock(): one writer of a workspace at a time, across processes and servers."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from agents.core.errors import Conflict
from agents.core.paths import data_dir
from agents.locking.locks import data_lock
from agents.locking.waiting import take
from agents.models import Agent
from search.documents.answering import answering
from search.sentences import sentence

WAIT_SECONDS = 20.0
"""Outside requests; a request waits as agents/locking/waiting.py says."""


class _Held(threading.local):
    def __init__(self) -> None:
        self.paths: set[Path] = set()


_own = _Held()


def workspace_lock(agent: Agent, *, timeout: float = WAIT_SECONDS) -> AbstractContextManager[None]:
    """Hold the lock of the agent's workspace folder, also when two agents share it. Raises `Conflict`.

    A thread that holds it may take it again.
    """
    return held(
        _lock_path(agent), agent=agent, what=sentence("The workspace of {slug}", slug=agent.slug), seconds=timeout
    )


def forget_lock(agent: Agent, *, timeout: float = WAIT_SECONDS) -> AbstractContextManager[None]:
    """One forgetting of an agent at a time, whole, with transcript and index. Taken before any other lock."""
    path = data_dir() / "history" / ".locks" / f"forget.{agent.pk}"
    return held(
        path, agent=agent, what=sentence("Something of {slug} is being forgotten: it", slug=agent.slug), seconds=timeout
    )


def _lock_path(agent: Agent) -> Path:
    try:
        with answering(Path(agent.workspace)):
            folder = str(Path(agent.workspace).resolve())
    except TimeoutError as error:
        raise Conflict(
            sentence("The disk of {slug}'s workspace does not answer.", slug=agent.slug),
            hint=sentence("Try again."),
            code="workspace_busy",
        ) from error
    except (OSError, RuntimeError, ValueError):  # a loop of links, a parent that may not be entered, no path at all
        folder = agent.workspace
    name = hashlib.sha256(folder.encode()).hexdigest()[:32]
    return data_dir() / "history" / ".locks" / name


@contextmanager
def held(path: Path, *, agent: Agent, what: str, seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of `path` in the data folder.

    Raises `Conflict` with the code `workspace_busy` when it was not to be had within `seconds`, or within what a
    request may wait, or when the agent's row is another by then; `what` is the sentence's subject.
    """
    if path in _own.paths:
        yield
        return
    with data_lock(path) as attempt:
        if not take(attempt, lock=str(path), agent=agent.slug, seconds=seconds):
            raise Conflict(
                sentence("{what} is being written by others.", what=what),
                hint=sentence("Try again in a moment."),
                code="workspace_busy",
            )
        if not Agent.objects.filter(pk=agent.pk).exists():
            raise Conflict(
                sentence("Agent {slug} was restored or deleted meanwhile.", slug=agent.slug),
                hint=sentence("Try again."),
                code="workspace_busy",
            )
        _own.paths.add(path)
        try:
            yield
        finally:
            _own.paths.discard(path)
