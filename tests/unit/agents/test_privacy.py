"""Transcripts: seen by private chats of the same agent that the rules allow, never by groups, never by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.access.scope import Match, Rule, Scope
from agents.access.sessions import Session
from agents.core.actors import Caller
from agents.memory.reads import Searched, SearchParams, search
from agents.models import Agent
from agents.registry.agents import update_agent
from agents.registry.collections import create_collection
from agents.registry.scope_rules import set_scope
from agents.registry.selectors import get_agent
from tests import cast

MAIN, BOB, GROUP = "agent:al:main", "agent:al:telegram:direct:42", "agent:al:telegram:group:9"
TRANSCRIPTS = {"main.md": MAIN, "bob.md": BOB, "group.md": GROUP, "old.md": "agent:al:cron:nightly"}


@pytest.fixture
def talkative(al: Agent, data_dir: Path) -> Agent:
    """Agent `al` with a transcript of each of four chats; the word `lighthouse` is in all of them."""
    folder = data_dir / "exports"
    folder.mkdir()
    for name, key in TRANSCRIPTS.items():
        (folder / name).write_text(f"---\nsession: {key}\n---\nUser: the lighthouse of {name}\n", encoding="utf-8")
    create_collection(actor=cast.OWNER, agent=al, name="chats", path=str(folder), kind="sessions")
    cast.index(get_agent("al"))
    return get_agent("al")


def seen(agent: Agent, session: Session | None, caller: Caller = cast.GATEWAY) -> set[str]:
    params = SearchParams("lighthouse", corpus="sessions", min_score=0, max_results=20)
    found = search(agent=agent, caller=caller, session=session, params=params)
    assert isinstance(found, Searched)
    return {hit.path.removeprefix("chats/") for hit in found.outcome.results}


def test_a_private_chat_sees_other_private_chats_and_not_itself(talkative: Agent) -> None:
    assert seen(talkative, Session(key=MAIN)) == {"bob.md"}
    assert seen(talkative, Session(key=f" {BOB.upper()} ")) == {"main.md"}


def test_the_owners_own_call_sees_every_transcript(talkative: Agent) -> None:
    assert seen(talkative, None, cast.TRUSTED) == set(TRANSCRIPTS)


@pytest.mark.parametrize("session", [Session(key=GROUP), Session(key=MAIN, chat_type="group")])
def test_a_group_sees_none_even_where_the_rules_allow_it_everything(talkative: Agent, session: Session) -> None:
    set_scope(actor=cast.OWNER, agent=talkative, scope=Scope("allow"), confirm_open=True)
    found = search(
        agent=get_agent("al"), caller=cast.GATEWAY, session=session, params=SearchParams("lighthouse", corpus="all")
    )
    assert isinstance(found, Searched)
    assert (found.outcome.results, "private chats alone" in found.withheld) == ((), True)


def test_a_chat_that_the_rules_deny_is_no_source(talkative: Agent) -> None:
    rules = (Rule("deny", Match(channel="telegram")), Rule("allow", Match(chat_type="direct")))
    set_scope(actor=cast.OWNER, agent=talkative, scope=Scope("deny", rules))
    assert seen(get_agent("al"), Session(key="agent:al:signal:direct:7")) == {"main.md"}


def test_an_agent_may_be_told_not_to_remember_across_conversations(talkative: Agent) -> None:
    settings = {"remember_across_conversations": False}
    update_agent(actor=cast.OWNER, agent=talkative, settings=settings)
    assert seen(get_agent("al"), Session(key=MAIN)) == set()
    assert seen(get_agent("al"), None, cast.TRUSTED) == set(TRANSCRIPTS)


def test_naming_the_collection_opens_nothing(talkative: Agent) -> None:
    set_scope(actor=cast.OWNER, agent=talkative, scope=Scope("allow"), confirm_open=True)
    params = SearchParams("lighthouse", collections=("chats",), min_score=0)
    found = search(agent=get_agent("al"), caller=cast.GATEWAY, session=Session(key=GROUP), params=params)
    assert isinstance(found, Searched) and found.outcome.results == ()
