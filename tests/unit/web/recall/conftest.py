"""Turns that were recalled for, as their events."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.access.sessions import Session
from agents.memory.recall import RecallParams, recall
from agents.models import Agent, RecallEvent
from tests import cast


@pytest.fixture
def keeper(db: None, data_dir: object) -> Agent:
    """Agent `al`, whose curated note has trigger phrases."""
    lines = (
        "# House\n",
        "- The spare key is under the blue pot. <!-- trigger: spare key; 备用钥匙 -->",
        "- The cat is called Nori. <!-- trigger: 猫 --> <!-- importance: 7 -->",
    )
    agent = cast.agent_with("al", {"MEMORY.md": "\n".join(lines) + "\n"})
    cast.index(agent)
    return agent


@pytest.fixture
def told(keeper: Agent) -> Callable[..., RecallEvent]:
    """told("…", key=…): a gateway's turn, and its event."""

    def turn(message: str, key: str = "agent:main:telegram:direct:42") -> RecallEvent:
        done = recall(agent=keeper, caller=cast.GATEWAY, session=Session(key=key), params=RecallParams(message=message))
        assert done.event_id is not None
        return RecallEvent.objects.get(pk=done.event_id)

    return turn


def events(agent: Agent, count: int, **values: object) -> list[RecallEvent]:
    given = {"status": "ok", "reason": "found", "lane": "deep", "elapsed_ms": 12.5, "query": "boiler", **values}
    return RecallEvent.objects.bulk_create(RecallEvent(agent=agent, **given) for _ in range(count))
