"""append(): what is written where, and what it answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.actors import Actor
from agents.models import Agent
from agents.workspace import Appended, append
from tests import cast

KEY = Actor("key:1 gateway")


def note(agent: Agent, text: str, path: str = "memory/plans.md", **more: object) -> Appended:
    return append(agent=agent, actor=KEY, path=path, text=text, origin="agent", **more)  # type: ignore[arg-type]


def text_of(agent: Agent, path: str = "memory/plans.md") -> str:
    return (Path(agent.workspace) / path).read_text(encoding="utf-8")


@pytest.fixture
def agent(db: None, data_dir: Path) -> Agent:
    return cast.agent_with("al", {"MEMORY.md": "# House\n\n- The spare key is under the blue pot.\n"})


def test_a_line_becomes_a_list_item_after_the_others(agent: Agent) -> None:
    assert note(agent, "Buy a ladder.") == Appended("memory/plans.md", 1, 1, False)
    assert note(agent, "Paint the shed.").start_line == 2
    assert text_of(agent) == "- Buy a ladder.\n- Paint the shed.\n"
