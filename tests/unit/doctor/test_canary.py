"""The canary: sings where all is well, is silent where it is not, and never stays."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from agents.access.scope import Scope
from agents.models import Agent
from agents.registry.canary import LEFT_SECONDS, MARK, canary, remove_left_canaries
from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks.canary import CANARY
from tests import cast
from tests.unit.doctor.conftest import Look


def left(data_dir: Path) -> list[Path]:
    return [path for path in data_dir.rglob("*canary*") if not path.name.endswith(".lock")]


def test_it_is_found_recalled_withheld_and_removed(look: Look, data_dir: Path) -> None:
    found = look(CANARY)
    assert {part: seen.level for part, seen in found.items()} == {
        "note": "ok", "words": "ok", "meaning": "skipped", "recall": "ok", "group": "ok", "stranger": "ok",
        "removed": "ok",
    }  # fmt: skip
    assert not Agent.objects.exists()
    assert left(data_dir) == []


def test_it_does_not_touch_agents_that_are_there(al: Agent, look: Look) -> None:
    before = sorted((path.name, path.read_bytes()) for path in Path(al.workspace).rglob("*.md"))
    look(CANARY)
    assert sorted((path.name, path.read_bytes()) for path in Path(al.workspace).rglob("*.md")) == before


def test_a_group_chat_that_is_let_in_is_a_problem(look: Look, monkeypatch: Any) -> None:
    monkeypatch.setattr("agents.registry.agents.DEFAULT_SCOPE", Scope("allow", ()))
    found = look(CANARY)["group"]
    assert (found.level, "search, get" in found.seen) == ("problem", True)


def test_agents_that_share_an_index_are_a_problem(look: Look, monkeypatch: Any, data_dir: Path) -> None:
    monkeypatch.setattr("agents.indexes.specs.index_path", lambda slug: data_dir / "indexes" / "one.sqlite")
    assert look(CANARY)["stranger"].level == "problem"


def test_an_index_that_cannot_be_written_is_a_problem(look: Look, monkeypatch: Any, data_dir: Path) -> None:
    (data_dir / "indexes").symlink_to("/proc/sys")
    monkeypatch.setattr("memory_appliance.doctor.checks.canary.WORDS_SECONDS", 0.5)
    found = look(CANARY)
    assert (found["words"].level, found["removed"].level) == ("problem", "ok")


def test_a_visit_that_is_broken_off_leaves_nothing(look: Look, data_dir: Path) -> None:
    visit = CANARY.look(Visit())
    next(visit)
    assert Agent.objects.count() == 2
    visit.close()
    assert not Agent.objects.exists()
    assert left(data_dir) == []


def test_one_whose_visit_was_killed_goes_later(db: None, data_dir: Path) -> None:
    manager = canary()
    agent = manager.__enter__()
    mark = Path(agent.workspace) / MARK
    assert remove_left_canaries() == []  # it may be at work
    os.utime(mark, (0, time.time() - LEFT_SECONDS - 1))
    assert remove_left_canaries() == [agent.slug]
    assert not Agent.objects.exists()


@pytest.mark.parametrize("slug", ["canary-0123456789ab", "canary-song"])
def test_an_agent_of_the_owner_with_such_a_name_stays(db: None, data_dir: Path, slug: str) -> None:
    agent = cast.agent_with(slug, {"MEMORY.md": "# Mine\n"})
    os.utime(agent.workspace, (0, 0))
    assert remove_left_canaries() == []
    assert Path(agent.workspace, "MEMORY.md").exists()
