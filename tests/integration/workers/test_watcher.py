"""The watcher at work: a real change on disk becomes a wish in the control database, by inotify and by polling."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.models import Agent
from tests import cast
from workers import watcher
from workers.watcher import Watcher


@pytest.fixture(params=[False, True], ids=["inotify", "polling"])
def watched(transactional_db: None, data_dir: Path, request: pytest.FixtureRequest) -> Iterator[Agent]:
    agent = cast.agent_with("al", {"MEMORY.md": "# A\n"})
    looking = Watcher(polling=request.param)
    thread = threading.Thread(target=looking.run)
    thread.start()
    try:
        assert wished(agent), "everyone is looked at once at the start"
        time.sleep(0.5)
        forget(agent)
        yield agent
    finally:
        looking.stop.set()
        thread.join(10)
    assert not thread.is_alive()


def forget(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(update_requested_at=None)


def wished(agent: Agent, seconds: float = 8.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if Agent.objects.get(pk=agent.pk).update_requested_at is not None:
            return True
        time.sleep(0.05)
    return False


def test_a_new_note_becomes_a_wish(watched: Agent) -> None:
    Path(watched.workspace, "memory", "today.md").write_text("- bought milk\n")
    assert wished(watched)


def test_other_files_do_not(watched: Agent) -> None:
    Path(watched.workspace, "memory", "photo.jpg").write_bytes(b"x")
    Path(watched.workspace, "unrelated").mkdir(exist_ok=True)
    Path(watched.workspace, "unrelated", "readme.md").write_text("x")
    time.sleep(0.3)
    forget(watched)  # the new folder itself may be one with notes in it
    Path(watched.workspace, "unrelated", "readme.md").write_text("y")
    assert not wished(watched, 2.0)


def test_a_memory_folder_made_again_is_watched_again(watched: Agent) -> None:
    folder = Path(watched.workspace, "memory")
    folder.rmdir()
    folder.mkdir()
    time.sleep(3)
    forget(watched)
    (folder / "late.md").write_text("x")
    assert wished(watched)


def test_a_new_agent_is_watched_and_nobody_else_is_looked_at(watched: Agent) -> None:
    new = cast.agent_with("newcomer", {"MEMORY.md": "# New\n"})
    assert wished(new)
    forget(new)
    Path(new.workspace, "memory", "today.md").write_text("- bought milk\n")
    assert wished(new)
    watched.refresh_from_db()
    assert watched.update_requested_at is None
    Path(watched.workspace, "memory", "today.md").write_text("- bought bread\n")
    assert wished(watched)


def test_many_newcomers_are_all_watched(watched: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "TOGETHER", 4)
    monkeypatch.setattr(watcher, "MOST_WATCHES", 2)
    new = []
    for number in range(4):
        new.append(cast.agent_with(f"new-{number}", {"MEMORY.md": "# New\n"}))
        assert wished(new[-1])
    time.sleep(4)
    for agent in [watched, *new]:
        forget(agent)
        Path(agent.workspace, "memory", "today.md").write_text("- bought milk\n")
        assert wished(agent)


def test_a_name_that_is_not_utf8_costs_the_others_nothing(watched: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "REST_SECONDS", 4.0)
    other = cast.agent_with("bo", {"MEMORY.md": "# B\n"})
    time.sleep(5)  # it is looked at because it is new, and once more when its folders are watched
    forget(other)
    forget(watched)
    odd = os.fsencode(watched.workspace) + b"/memory/caf\xe9.md"
    for text in ("one", "two"):  # the second while the folder rests: seen after it
        with open(odd, "w") as file:  # noqa: PTH123 - a path of bytes
            file.write(text)
        assert wished(watched, 12.0)
        forget(watched)
    assert not wished(other, 2.0), "only the agent with the name is looked at"
    Path(other.workspace, "memory", "today.md").write_text("- bought milk\n")
    assert wished(other)
