"""A workspace of household notes, an engine to recall from it, and a generator of our own protocol."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from search.errors import GeneratorUnavailable
from search.recall.gates import GateFacts
from search.recall.outcome import RecallOutcome
from search.recall.query import HistoryTurn
from search.recall.turn import Models, Recall, Turn
from search.runtime.protocols import Embedder, Message
from search.spec import SearchRequest
from tests.engine import Workspace

NOTES = {
    "MEMORY.md": "# House\n\n- The spare key is under the blue pot. <!-- trigger: spare key, 备用钥匙 -->\n",
    "memory/2026-03-03.md": "# Tuesday\n\nTobin replaced the boiler valve, part BV-210, for 85 EUR.\n",
    "memory/boat.md": "# Boat\n\nThe boat is moored at pier 7.\nThe engine wants oil every 50 hours.\n",
}

FACTS = GateFacts(
    server_enabled=True,
    agent_enabled=True,
    chat_type="direct",
    chat_ids=frozenset(),
    allowed_chat_types=frozenset({"direct"}),
    allowed_chat_ids=frozenset(),
    denied_chat_ids=frozenset(),
    session_enabled=True,
    scope_allowed=True,
    mode="always",
)


class Scripted:
    """Says what it was given, in order, and keeps what it was told. Exceptions are raised, numbers are waited for."""

    def __init__(self, *answers: str | Exception | float) -> None:
        self.answers = list(answers)
        self.told: list[Sequence[Message]] = []
        self.name = "test:scripted"

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout: float,
        json_schema: Mapping[str, Any] | None = None,
        thinking: str = "off",
    ) -> str:
        self.told.append(list(messages))
        answer = self.answers.pop(0) if self.answers else '{"note": "NONE"}'
        if isinstance(answer, float):
            time.sleep(min(answer, timeout))
            raise GeneratorUnavailable("timed out")
        if isinstance(answer, Exception):
            raise answer
        return answer


class Household:
    """`recall("…")` is one turn of the agent's private chat, in mode `always` unless told otherwise."""

    def __init__(self, base: Path) -> None:
        self.workspace = Workspace(base)
        for name, text in NOTES.items():
            self.workspace.write(name, text)
        self.workspace.update()
        self.shared = Recall()

    def write(self, name: str, text: str) -> None:
        self.workspace.write(name, text)
        self.workspace.update()

    def turn(self, message: str, history: Sequence[HistoryTurn] = (), **values: Any) -> Turn:
        return Turn(
            self.workspace.spec, "chat", message, history, SearchRequest("", min_score=0.0), date(2026, 3, 4),
            **{"timeout_ms": 5_000, **values},
        )  # fmt: skip

    def recall(
        self,
        message: str,
        *,
        embedder: Embedder | None = None,
        generator: Scripted | None = None,
        facts: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> RecallOutcome:
        models = Models(embedder, generator)
        return self.shared.turn(replace(FACTS, **(facts or {})), self.turn(message, **values), models)


@pytest.fixture
def household(tmp_path: Path) -> Household:
    return Household(tmp_path)
