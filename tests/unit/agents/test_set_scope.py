"""set_scope(): stored as a whole, tidied like session keys, bad conditions refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.access.scope import Match, Rule, Scope, opens_further
from agents.core.errors import Invalid
from agents.indexes.specs import scope_of
from agents.models import Agent, AuditEvent
from agents.registry.agents import create_agent
from agents.registry.scope_rules import set_scope
from agents.registry.selectors import get_agent
from tests.cast import OWNER


@pytest.fixture
def agent(db: None, data_dir: Path) -> Agent:
    return create_agent(actor=OWNER, slug="al")


def test_rules_are_replaced_in_order_and_in_lower_case(agent: Agent) -> None:
    rules = (Rule("deny", Match(channel=" Discord ")), Rule("allow", Match(key_prefix="Main", chat_type="cron")))
    stored = set_scope(actor=OWNER, agent=agent, scope=Scope("allow", rules), confirm_open=True)
    assert stored == scope_of(get_agent("al"))
    assert stored.rules[0].match.channel == "discord" and stored.rules[1].match.key_prefix == "main"
    assert AuditEvent.objects.filter(action="scope.set").get().detail["default"] == "allow"


@pytest.mark.parametrize(
    "scope",
    [
        Scope("maybe"),  # type: ignore[arg-type]
        Scope("deny", (Rule("permit"),)),  # type: ignore[arg-type]
        Scope("deny", (Rule("allow", Match(chat_type="party")),)),  # type: ignore[arg-type]
        Scope("deny", (Rule("allow", Match(key_prefix="")),)),
        Scope("deny", (Rule("allow", Match(raw_key_prefix=":")),)),
        Scope("deny", (Rule("allow", Match(channel="a\0")),)),
        Scope("deny", (Rule("allow", Match(channel="x" * 501)),)),
        Scope("deny", (Rule("allow"),) * 101),
    ],
)
def test_a_bad_scope_changes_nothing(agent: Agent, scope: Scope) -> None:
    before = scope_of(agent)
    with pytest.raises(Invalid):
        set_scope(actor=OWNER, agent=agent, scope=scope)
    assert scope_of(get_agent("al")) == before


GROUP, SLACK = Match(chat_type="group"), Match(channel="slack")
CLOSED = Scope("deny", (Rule("allow", GROUP),))
OPEN = Scope("allow", (Rule("deny", GROUP), Rule("deny", SLACK)))


@pytest.mark.parametrize(
    ("after", "before", "opens"),
    [
        (Scope("allow"), CLOSED, True),
        (Scope("deny", (Rule("allow"),)), CLOSED, True),
        (Scope("deny", (Rule("allow", SLACK),)), CLOSED, False),
        (OPEN, OPEN, False),
        (Scope("allow", (Rule("deny", GROUP),)), OPEN, True),
        (Scope("deny", (Rule("allow"), *OPEN.rules)), OPEN, True),
        (Scope("deny", (*OPEN.rules, Rule("allow"))), OPEN, False),
        (Scope("allow", (Rule("deny", Match(chat_type="cron")), *OPEN.rules)), OPEN, False),
        (CLOSED, OPEN, False),
    ],
)
def test_what_opens_the_memory_to_more_chats_must_be_confirmed(
    agent: Agent, after: Scope, before: Scope, opens: bool
) -> None:
    set_scope(actor=OWNER, agent=agent, scope=before, confirm_open=True)
    assert opens_further(after, before) is opens
    if not opens:
        assert set_scope(actor=OWNER, agent=agent, scope=after) == after
        return
    with pytest.raises(Invalid, match="opens the memory to every chat") as refused:
        set_scope(actor=OWNER, agent=agent, scope=after)
    assert refused.value.field == "confirm_open" and scope_of(get_agent("al")) == before
    assert set_scope(actor=OWNER, agent=agent, scope=after, confirm_open=True) == after
