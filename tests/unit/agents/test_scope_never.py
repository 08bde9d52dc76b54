"""A rule that is said never to decide must never decide, whatever chat comes along."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.access.scope import DEFAULT_SCOPE, Action, Match, Rule, Scope, decide
from agents.access.scope_never import never_decides
from agents.access.scope_templates import SCOPE_TEMPLATES
from agents.access.sessions import CHAT_TYPES, Session

PARTS = [
    "main",
    "telegram",
    "direct",
    "dm",
    "group",
    "channel",
    "cron",
    "subagent",
    "explicit",
    "heartbeat",
    "thread",
    "5",
]
KEYS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map(":".join)
RAW = st.one_of(st.just("agent"), st.just("agent:main"), KEYS, KEYS.map("agent:main:{}".format))
MATCHES = st.builds(
    Match,
    chat_type=st.none() | st.sampled_from(CHAT_TYPES),
    channel=st.none() | st.sampled_from(["telegram", "slack"]),
    key_prefix=st.none() | KEYS | KEYS.map("agent:main:{}".format),
    raw_key_prefix=st.none() | RAW,
)
RULES = st.builds(Rule, action=st.sampled_from(["allow", "deny"]), match=MATCHES)
SESSIONS = st.builds(
    Session,
    key=st.none() | RAW | st.just("agent:main:telegram:group:" + "9" * 1000),
    chat_type=st.none() | st.sampled_from([*CHAT_TYPES, "dm", "odd"]),
    channel=st.none() | st.sampled_from(["telegram", "slack"]),
)


def rule(action: Action, **match: str) -> Rule:
    return Rule(action, Match(**match))  # type: ignore[arg-type] # one of the chat types


@given(st.lists(RULES, min_size=1, max_size=5), st.lists(SESSIONS, min_size=10, max_size=30), st.booleans())
def test_what_is_said_never_to_decide_never_does(rules: list[Rule], sessions: list[Session], trusted: bool) -> None:
    scope = Scope("deny", tuple(rules))
    never = {found.index for found in never_decides(scope)}
    assert not never & {decide(scope, session, trusted=trusted).rule for session in sessions}


@pytest.mark.parametrize(
    ("rules", "by"),
    [
        ((rule("allow"), rule("deny", chat_type="group")), (0,)),
        ((rule("deny", channel="slack"), rule("allow", channel="slack", chat_type="direct")), (0,)),
        ((rule("allow", chat_type="direct"), rule("deny"), rule("allow", chat_type="cron")), (1,)),
        ((rule("deny", key_prefix="telegram"), rule("allow", key_prefix="telegram:direct:42")), (0,)),
        ((rule("deny", key_prefix="agent:main"), rule("allow", raw_key_prefix="agent:main:telegram")), (0,)),
        ((*(rule("deny", chat_type=one) for one in CHAT_TYPES), rule("allow")), tuple(range(8))),
        ((*(rule("deny", chat_type=one) for one in ("cron", "unknown")), rule("deny", key_prefix="cron")), (0, 1)),
    ],
)
def test_a_rule_behind_broader_ones_is_told_with_those(rules: tuple[Rule, ...], by: tuple[int, ...]) -> None:
    (found,) = never_decides(Scope("deny", rules))
    assert (found.index, found.reason, found.by) == (len(rules) - 1, "covered", by)


@pytest.mark.parametrize(
    "rules",
    [
        (rule("allow", chat_type="direct"), rule("deny")),
        (rule("allow", key_prefix="telegram"), rule("deny", key_prefix="telegram")),
        (rule("deny", key_prefix="main"), rule("allow", key_prefix="mainframe")),
        (rule("deny", channel="slack"), rule("allow", chat_type="direct")),
        (rule("deny", key_prefix="telegram"), rule("deny", raw_key_prefix="agent:main:telegram")),
    ],
)
def test_rules_that_may_decide_are_left_alone(rules: tuple[Rule, ...]) -> None:
    assert never_decides(Scope("deny", rules)) == ()


@pytest.mark.parametrize(
    "alone",
    [
        rule("deny", chat_type="group", key_prefix="cron"),
        rule("deny", chat_type="explicit", key_prefix="telegram:direct"),
        rule("deny", key_prefix="telegram", raw_key_prefix="agent:main:slack"),
        rule("deny", key_prefix="main", raw_key_prefix="main"),
        rule("deny", key_prefix="agent:main", raw_key_prefix="agent:other"),
    ],
)
def test_conditions_that_exclude_each_other_are_told(alone: Rule) -> None:
    (found,) = never_decides(Scope("deny", (alone,)))
    assert found.reason == "excluded" and not found.by


def test_an_allow_by_prefix_that_needs_a_chat_type_says_so() -> None:
    (found,) = never_decides(Scope("deny", (rule("allow", key_prefix="cron:backup"),)))
    assert found.reason == "needs_type"
    assert never_decides(Scope("deny", (rule("allow", key_prefix="cron:backup", chat_type="cron"),))) == ()


def test_a_rule_that_only_repeats_others_is_told_apart_from_one_that_is_overruled() -> None:
    twice = Scope("deny", (*DEFAULT_SCOPE.rules, rule("allow", key_prefix="main")))
    (repeats,) = never_decides(twice)
    assert (repeats.index, repeats.by, repeats.harmless) == (1, (0,), True)
    (overruled,) = never_decides(Scope("deny", (rule("allow"), rule("deny", chat_type="group"))))
    assert not overruled.harmless


@pytest.mark.parametrize("name", SCOPE_TEMPLATES)
def test_no_template_has_a_rule_that_never_applies(name: str) -> None:
    assert not never_decides(SCOPE_TEMPLATES[name])
