"""Past conversations as a source of recall: only a line that may answer goes out, without its speaker's label."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.access.scope import Scope
from agents.access.sessions import Session
from agents.memory.recall import RecallParams, recall
from agents.models import Agent
from agents.registry.collections import create_collection
from agents.registry.scope_rules import set_scope
from agents.registry.selectors import get_agent
from search.documents.transcripts import Turn, render
from tests import cast

MAIN, BOB = "agent:al:main", "agent:al:telegram:direct:42"
TALK = (
    ("user", "My password is hunter-22"),
    ("assistant", "I won't keep that."),
    ("user", "filler line number 3 about nothing in particular"),
    ("user", "what is the name of the plumber we had?"),
    ("user", "Greta's recital begins at seven on Friday in the town hall"),
    ("assistant", "A recital, how lovely. What will she play?"),
)


@pytest.fixture
def chatty(al: Agent, data_dir: Path) -> Agent:
    folder = data_dir / "exports"
    folder.mkdir()
    turns = [Turn(role, text) for role, text in TALK]
    (folder / "1.md").write_text(render(turns, session=BOB, closed=True, title="Conversation").text)
    create_collection(actor=cast.OWNER, agent=al, name="chats", path=str(folder), kind="sessions")
    set_scope(actor=cast.OWNER, agent=al, scope=Scope("allow"), confirm_open=True)
    cast.index(get_agent("al"))
    return get_agent("al")


def context(agent: Agent, message: str) -> str:
    params = RecallParams(message, mode="always")
    return recall(agent=agent, caller=cast.GATEWAY, session=Session(key=MAIN), params=params).outcome.context


def test_a_line_that_answers_goes_out_without_its_label(chatty: Agent) -> None:
    answer = context(chatty, "when does Greta's recital begin")
    assert "- Greta&#x27;s recital begins at seven on Friday in the town hall [chats/1.md#L" in answer
    assert "User:" not in answer and "how lovely" not in answer and "plumber" not in answer


@pytest.mark.parametrize(
    "message",
    [
        "what is my password for the bank",
        "what is the name of the plumber",
        "which bus line goes to the airport",
        "what did the brother of Ines study in Leeds",
    ],
)
def test_chatter_questions_and_secrets_are_not_injected(chatty: Agent, message: str) -> None:
    assert context(chatty, message) == ""
