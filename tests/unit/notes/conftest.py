"""An agent to write for, and the verbs of its workspace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agents.core.actors import Actor
from agents.models import Agent
from agents.workspace import Appended, append
from tests import cast

KEY = Actor("key:1 gateway")
PLANS = "memory/plans.md"


@dataclass(frozen=True)
class Desk:
    """`desk.note("text")` appends, `desk.text()` reads, `desk.put(text)` is a person's own save."""

    agent: Agent

    def note(self, text: str, path: str = PLANS, **more: Any) -> Appended:
        return append(agent=self.agent, actor=KEY, path=path, text=text, origin="agent", **more)

    def text(self, path: str = PLANS) -> str:
        return self.file(path).read_text(encoding="utf-8")

    def put(self, text: str, path: str = PLANS) -> None:
        """As editors save: a new file, renamed over the old one."""
        beside = self.file(path).with_suffix(".swp")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.file(path))

    def file(self, path: str = PLANS) -> Path:
        return Path(self.agent.workspace) / path


@pytest.fixture
def desk(db: None, data_dir: Path) -> Desk:
    return Desk(cast.agent_with("al", {"MEMORY.md": "# House\n\n- The spare key is under the blue pot.\n"}))
