"""Past conversations in recall: from private chats to private chats of the same agent, never the one being answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.access.scope import Scope
from agents.access.sessions import Session
from agents.memory.recall import RecallParams, recall
from agents.models import Agent
from agents.registry.agents import update_agent
from agents.registry.collections import create_collection
from agents.registry.scope_rules import set_scope
from agents.registry.selectors import get_agent
from tests import cast

MAIN, BOB, GROUP = "agent:al:main", "agent:al:telegram:direct:42", "agent:al:telegram:group:9"


@pytest.fixture
def talkative(al: Agent, data_dir: Path) -> Agent:
    """Agent `al` with a transcript of each of three chats, each with another colour of the lighthouse."""
    folder = data_dir / "exports"
    folder.mkdir()
    for colour, key in {"red": MAIN, "green": BOB, "white": GROUP}.items():
        (folder / f"{colour}.md").write_text(f"---\nsession: {key}\n---\nUser: the lighthouse is {colour}\n", "utf-8")
    create_collection(actor=cast.OWNER, agent=al, name="chats", path=str(folder), kind="sessions")
    set_scope(actor=cast.OWNER, agent=al, scope=Scope("allow"), confirm_open=True)
    update_agent(actor=cast.OWNER, agent=al, settings={"recall_chat_types": ["direct", "group"]})
    cast.index(get_agent("al"))
    return get_agent("al")


def colours(agent: Agent, key: str) -> set[str]:
    params = RecallParams("which colour is the lighthouse", mode="always")
    answer = recall(agent=agent, caller=cast.GATEWAY, session=Session(key=key), params=params)
    return {colour for colour in ("red", "green", "white") if colour in answer.outcome.context}


def test_a_private_chat_recalls_other_private_chats_and_not_itself(talkative: Agent) -> None:
    assert colours(talkative, MAIN) == {"green"}
    assert colours(talkative, BOB) == {"red"}


def test_a_group_recalls_no_conversation(talkative: Agent) -> None:
    assert colours(talkative, GROUP) == set()


def test_an_agent_that_does_not_remember_across_conversations_recalls_none(talkative: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=talkative, settings={"remember_across_conversations": False})
    assert colours(get_agent("al"), MAIN) == set()
