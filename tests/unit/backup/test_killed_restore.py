"""A restore of one agent that is killed at each rename: all of then, or all of now after the next start."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from agents.actors import CLI
from agents.backup import find_backup, make_backup
from agents.backup.journal import undo_unfinished, unfinished_restores
from agents.backup.restore_agent import restore_agent
from agents.backup.swap import Swap
from agents.models import Agent, TranscriptMessage
from agents.transcripts import store_lines
from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks.agents import AGENTS

CHAT = "agent:al:telegram:direct:7"


def in_a_fork(work: Callable[[], object]) -> int:
    """The signal that ended it, 0 when it came to its end."""
    connection.close()
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killing(real: Callable[..., Any], at: int) -> Callable[..., Any]:
    """`real`, which dies before its call number `at`, counted in half steps: after it when odd."""
    count = 0

    def wrapped(*args: Any, **values: Any) -> Any:
        nonlocal count
        if count == at:
            kill()
        done = real(*args, **values)
        if count + 1 == at:
            kill()
        count += 2
        return done

    return wrapped


@pytest.mark.parametrize("at", range(10))
def test_a_killed_restore_is_undone_or_whole(al: Agent, backups: Path, monkeypatch: Any, at: int) -> None:
    memory = Path(al.workspace) / "MEMORY.md"
    store_lines(agent=al, session_key=CHAT, lines=[b'{"role":"user","content":"one"}'])
    make_backup()
    then = memory.read_text()
    memory.write_text("now\n")
    store_lines(agent=al, session_key=CHAT, lines=[b'{"role":"user","content":"two"}'])
    monkeypatch.setattr(Path, "rename", killing(Path.rename, at))
    in_a_fork(lambda: restore_agent(find_backup("latest"), "al", actor=CLI, force=True))
    monkeypatch.undo()
    undo_unfinished()
    rows = TranscriptMessage.objects.filter(transcript__agent__slug="al").count()
    folder = Path(al.workspace).parents[1] / "transcripts/al/turns"
    turns = b"".join(path.read_bytes() for path in folder.rglob("*.jsonl"))
    assert (memory.read_text(), rows, turns.count(b"\n")) in (("now\n", 2, 2), (then, 1, 1))
    assert unfinished_restores() == []


def test_a_restore_killed_before_its_rows_are_committed_is_undone(al: Agent, backups: Path, monkeypatch: Any) -> None:
    memory = Path(al.workspace) / "MEMORY.md"
    make_backup()
    memory.write_text("now\n")
    monkeypatch.setattr("agents.backup.restore_agent.record", lambda **_: kill())
    assert in_a_fork(lambda: restore_agent(find_backup("latest"), "al", actor=CLI, force=True)) == signal.SIGKILL
    assert memory.read_text() != "now\n"
    assert "problem" in [seen.level for seen in AGENTS.look(Visit()) if seen.part == "al"]
    assert undo_unfinished() == ["al"]
    assert memory.read_text() == "now\n"


def test_a_restore_killed_after_its_rows_were_committed_stays(al: Agent, backups: Path, monkeypatch: Any) -> None:
    memory = Path(al.workspace) / "MEMORY.md"
    make_backup()
    memory.write_text("now\n")
    monkeypatch.setattr(Swap, "__exit__", lambda *_: kill())
    assert in_a_fork(lambda: restore_agent(find_backup("latest"), "al", actor=CLI, force=True)) == signal.SIGKILL
    undo_unfinished()
    assert memory.read_text() != "now\n"
    assert unfinished_restores() == []
