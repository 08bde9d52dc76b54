"""first_stop(): the order of the gates; the same function decides a turn and answers `ready`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from search.recall.gates import GateFacts, first_stop, gate_verdicts
from search.recall.outcome import Reason, Status

OPEN = GateFacts(
    server_enabled=True,
    agent_enabled=True,
    chat_type="direct",
    chat_ids=frozenset({"42"}),
    allowed_chat_types=frozenset({"direct"}),
    allowed_chat_ids=frozenset(),
    denied_chat_ids=frozenset(),
    session_enabled=True,
    scope_allowed=True,
    mode="escalate",
    message_empty=False,
    strong_fast_hit=False,
    recall_intent=True,
    breaker_open=False,
)

CLOSED_IN_ORDER: list[tuple[dict[str, object], Reason]] = [
    ({"server_enabled": False}, Reason.RECALL_OFF),
    ({"agent_enabled": False}, Reason.RECALL_OFF),
    ({"chat_type": "group"}, Reason.CHAT_TYPE_NOT_ALLOWED),
    ({"denied_chat_ids": frozenset({"42"})}, Reason.CHAT_DENIED),
    ({"session_enabled": False}, Reason.SESSION_DISABLED),
    ({"scope_allowed": False}, Reason.SCOPE_DENIED),
    ({"message_empty": True}, Reason.EMPTY_MESSAGE),
    ({"recall_intent": False}, Reason.NO_RECALL_INTENT),
    ({"breaker_open": True}, Reason.BREAKER_OPEN),
]


def reason(**changes: object) -> Reason | None:
    stop = first_stop(replace(OPEN, **changes))  # type: ignore[arg-type]
    return stop.reason if stop else None


def test_with_every_gate_open_the_deep_lane_runs() -> None:
    assert first_stop(OPEN) is None


@pytest.mark.parametrize(("change", "expected"), CLOSED_IN_ORDER)
def test_each_gate_has_its_reason(change: dict[str, object], expected: Reason) -> None:
    assert reason(**change) is expected


def test_the_first_closed_gate_decides_whatever_is_closed_behind_it() -> None:
    for place, (_, expected) in enumerate(CLOSED_IN_ORDER):
        behind = {name: value for change, _ in CLOSED_IN_ORDER[place:] for name, value in change.items()}
        assert reason(**behind) is expected


def test_what_is_not_known_yet_stops_nothing() -> None:
    assert reason(message_empty=None, strong_fast_hit=None, recall_intent=None, breaker_open=None) is None


def test_a_strong_fast_hit_saves_the_deep_lane_except_in_always() -> None:
    assert reason(strong_fast_hit=True) is Reason.STRONG_FAST_HIT
    assert reason(strong_fast_hit=True, mode="off") is Reason.STRONG_FAST_HIT
    assert reason(strong_fast_hit=True, mode="always") is None


def test_off_has_no_deep_lane_and_always_needs_no_intent() -> None:
    assert reason(mode="off") is Reason.MODE_OFF
    assert reason(mode="always", recall_intent=False) is None


@pytest.mark.parametrize(
    ("ids", "allowed", "denied", "open_"),
    [
        ({"42"}, {"42"}, set(), True),
        ({"42"}, {"7"}, set(), False),
        ({"42", "7"}, {"7"}, set(), False),  # the caller's own field cannot widen what the key says
        (set(), {"42"}, set(), False),
        (set(), set(), {"42"}, True),
        ({"42"}, {"42"}, {"42"}, False),
    ],
)
def test_chat_ids(ids: set[str], allowed: set[str], denied: set[str], open_: bool) -> None:
    found = reason(chat_ids=frozenset(ids), allowed_chat_ids=frozenset(allowed), denied_chat_ids=frozenset(denied))
    assert found is (None if open_ else Reason.CHAT_DENIED)


@pytest.mark.parametrize("change", [change for change, _ in CLOSED_IN_ORDER[2:6]])
def test_a_chat_that_the_scope_refuses_is_denied_whichever_gate_came_first(change: dict[str, object]) -> None:
    stop = first_stop(replace(OPEN, **{**change, "scope_allowed": False}))  # type: ignore[arg-type]
    assert stop is not None and stop.status is Status.DENIED


def test_each_gate_gives_its_own_verdict_also_behind_a_closed_one() -> None:
    facts = replace(OPEN, chat_type="group", scope_allowed=False, message_empty=None)
    verdicts = {verdict.reason: verdict.closed for verdict in gate_verdicts(facts)}
    assert verdicts[Reason.CHAT_TYPE_NOT_ALLOWED] and verdicts[Reason.SCOPE_DENIED]
    assert verdicts[Reason.RECALL_OFF] is False and verdicts[Reason.EMPTY_MESSAGE] is None


@pytest.mark.parametrize(("change", "expected"), CLOSED_IN_ORDER)
def test_the_first_closed_verdict_is_the_gate_that_stops(change: dict[str, object], expected: Reason) -> None:
    verdicts = gate_verdicts(replace(OPEN, **change))  # type: ignore[arg-type]
    assert [verdict.reason for verdict in verdicts if verdict.closed] == [expected]
