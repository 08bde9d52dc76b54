"""decide(): ordered rules, the first match decides, and nothing a caller adds opens what was closed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.access.scope import DEFAULT_SCOPE, Action, Match, Rule, Scope, decide, verdicts
from agents.access.sessions import CHAT_TYPES, Session

KEYS = [
    "agent:main:main", "agent:main:telegram:direct:42", "agent:main:discord:channel:9", "agent:main:telegram:group:-1",
    "agent:main:cron:daily", "agent:x:subagent:u", "agent:x:main:heartbeat", "agent:x:explicit:1", "nonsense", "",
]  # fmt: skip


def allowed(scope: Scope, key: str | None, **fields: str) -> bool:
    return decide(scope, Session(key=key, **fields), trusted=False).allowed  # type: ignore[arg-type]


def test_the_default_rules_allow_direct_chats_alone() -> None:
    assert [key for key in KEYS if allowed(DEFAULT_SCOPE, key)] == KEYS[:2]


def test_the_decision_names_its_rule() -> None:
    decision = decide(DEFAULT_SCOPE, Session(key=KEYS[0]), trusted=False)
    assert (decision.rule, decision.reason) == (0, "rule 0 allows chat type direct")
    denied = decide(DEFAULT_SCOPE, Session(key=KEYS[4]), trusted=False)
    assert denied.rule is None and "cron" in denied.reason and denied.derived.chat_type == "cron"


def test_the_first_match_decides() -> None:
    scope = Scope("allow", (Rule("deny", Match(channel="telegram")), Rule("allow", Match(channel="telegram"))))
    assert not allowed(scope, "agent:x:telegram:direct:1")
    assert allowed(scope, "agent:x:discord:direct:1")


def test_all_conditions_of_a_rule_must_hold() -> None:
    scope = Scope("deny", (Rule("allow", Match(chat_type="group", channel="discord")),))
    assert allowed(scope, "agent:x:discord:group:1")
    assert not allowed(scope, "agent:x:telegram:group:1")
    assert not allowed(scope, "agent:x:discord:direct:1")


def test_an_empty_match_matches_every_chat() -> None:
    assert all(allowed(Scope("deny", (Rule("allow"),)), key) for key in KEYS)


@pytest.mark.parametrize(
    ("prefix", "key", "matches"),
    [
        ("main", "agent:x:main", True),
        ("main:", "agent:x:main:thread:5", True),
        ("main", "agent:x:mainframe", False),
        ("telegram:direct", "agent:x:telegram:direct:7", True),
        ("telegram:dir", "agent:x:telegram:direct:7", False),
        ("agent:x:main", "agent:x:main", True),
        ("agent:y", "agent:x:main", False),
    ],
)
def test_prefixes_match_whole_parts(prefix: str, key: str, matches: bool) -> None:
    assert allowed(Scope("deny", (Rule("allow", Match(key_prefix=prefix)),)), key) is matches


@pytest.mark.parametrize("key", ["agent:x:t:group:1", "agent:x:t:channel:1", "agent:x:cron:d", "agent:x:subagent:u"])
def test_an_allow_by_prefix_covers_a_shared_or_machine_chat_only_when_it_names_it(key: str) -> None:
    chat_type = decide(DEFAULT_SCOPE, Session(key=key), trusted=False).derived.chat_type
    assert not allowed(Scope("deny", (Rule("allow", Match(raw_key_prefix="agent:x")),)), key)
    assert allowed(Scope("deny", (Rule("allow", Match(chat_type=chat_type, raw_key_prefix="agent:x")),)), key)


def test_a_deny_by_prefix_covers_them() -> None:
    assert not allowed(Scope("allow", (Rule("deny", Match(raw_key_prefix="agent:x")),)), "agent:x:cron:daily")


def test_without_a_key_the_owner_is_explicit_and_everybody_else_unknown() -> None:
    closed = Scope("deny", (Rule("deny"),))
    assert decide(closed, None, trusted=True).allowed
    assert decide(closed, None, trusted=True).derived.chat_type == "explicit"
    assert decide(DEFAULT_SCOPE, None, trusted=False).derived.chat_type == "unknown"
    assert not decide(DEFAULT_SCOPE, Session(chat_type="direct"), trusted=False).allowed


def test_an_empty_key_is_a_key_even_for_the_owner() -> None:
    decision = decide(DEFAULT_SCOPE, Session(key=""), trusted=True)
    assert (decision.allowed, decision.derived.chat_type) == (False, "unknown")


def test_the_owner_speaking_for_a_group_gets_the_groups_view() -> None:
    assert not decide(DEFAULT_SCOPE, Session(chat_type="group"), trusted=True).allowed


def test_naming_another_kind_of_chat_does_not_open_a_closed_one() -> None:
    scope = Scope("deny", (Rule("allow", Match(chat_type="group")),))
    assert not allowed(scope, "agent:x:telegram:direct:1", chat_type="group")


matches = st.builds(
    Match,
    chat_type=st.none() | st.sampled_from(CHAT_TYPES),
    channel=st.none() | st.sampled_from(["telegram", "discord"]),
    key_prefix=st.none() | st.sampled_from(["main", "telegram", "cron", "agent:main"]),
    raw_key_prefix=st.none() | st.sampled_from(["agent:main", "agent:x:subagent"]),
)
actions: st.SearchStrategy[Action] = st.sampled_from(["allow", "deny"])
scopes = st.builds(
    Scope, default=actions, rules=st.lists(st.builds(Rule, action=actions, match=matches), max_size=4).map(tuple)
)
fields = st.fixed_dictionaries(
    {},
    optional={
        "chat_type": st.sampled_from([*CHAT_TYPES, "dm", "party"]),
        "channel": st.sampled_from(["telegram", "discord", "slack"]),
        "chat_id": st.just("7"),
    },
)


@given(scopes, st.sampled_from(KEYS), fields)
def test_fields_of_the_caller_never_allow_what_the_key_does_not(
    scope: Scope, key: str, given_fields: dict[str, str]
) -> None:
    if allowed(scope, key, **given_fields):
        assert allowed(scope, key)


@given(scopes, st.sampled_from(KEYS), fields)
def test_a_trusted_key_changes_nothing_once_a_session_is_named(
    scope: Scope, key: str, given_fields: dict[str, str]
) -> None:
    session = Session(key=key, **given_fields)  # type: ignore[arg-type]
    if key != "agent:x:explicit:1":
        assert decide(scope, session, trusted=True) == decide(scope, session, trusted=False)


@given(scopes, st.sampled_from(KEYS), fields, matches, st.integers(0, 4))
def test_an_allow_added_anywhere_takes_no_access_away(
    scope: Scope, key: str, given_fields: dict[str, str], match: Match, place: int
) -> None:
    wider = Scope(scope.default, (*scope.rules[:place], Rule("allow", match), *scope.rules[place:]))
    if allowed(scope, key, **given_fields):
        assert allowed(wider, key, **given_fields)


@given(scopes, st.sampled_from(KEYS), fields, matches, st.integers(0, 4))
def test_a_deny_added_anywhere_opens_nothing(
    scope: Scope, key: str, given_fields: dict[str, str], match: Match, place: int
) -> None:
    narrower = Scope(scope.default, (*scope.rules[:place], Rule("deny", match), *scope.rules[place:]))
    if not allowed(scope, key, **given_fields):
        assert not allowed(narrower, key, **given_fields)


@given(scopes, st.sampled_from(KEYS), fields, st.builds(Rule, action=actions, match=matches))
def test_a_rule_at_the_end_changes_nothing_that_an_earlier_rule_decided(
    scope: Scope, key: str, given_fields: dict[str, str], rule: Rule
) -> None:
    session = Session(key=key, **given_fields)  # type: ignore[arg-type]
    decision = decide(scope, session, trusted=False)
    longer = decide(Scope(scope.default, (*scope.rules, rule)), session, trusted=False)
    if decision.rule is not None and not decision.allowed:
        assert longer == decision


@given(scopes, st.sampled_from(KEYS), fields)
def test_the_first_verdict_that_matches_is_the_decision(scope: Scope, key: str, given_fields: dict[str, str]) -> None:
    decision = decide(scope, Session(key=key, **given_fields), trusted=False)  # type: ignore[arg-type]
    matching = [verdict for verdict in verdicts(scope, decision.derived) if verdict.matches]
    if matching:
        assert (decision.rule, decision.allowed) == (matching[0].index, matching[0].rule.action == "allow")
    else:
        assert (decision.rule, decision.allowed) == (None, scope.default == "allow")
