"""first_stop(): the gate order of a turn, as one pure function that every step and `ready` ask.

Facts that are not known yet are None and stop nothing; the turn asks again whenever it has learned another one.
"""

from __future__ import annotations

from dataclasses import dataclass

from search.recall.choices import RecallMode
from search.recall.outcome import Reason, Status


@dataclass(frozen=True, slots=True)
class GateFacts:
    """Everything that decides whether a turn is recalled for, in the order in which it is looked at."""

    server_enabled: bool
    agent_enabled: bool
    chat_type: str
    chat_ids: frozenset[str]
    allowed_chat_types: frozenset[str]
    allowed_chat_ids: frozenset[str]
    denied_chat_ids: frozenset[str]
    session_enabled: bool
    scope_allowed: bool
    mode: RecallMode
    message_empty: bool | None = None
    strong_fast_hit: bool | None = None
    recall_intent: bool | None = None
    breaker_open: bool | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    status: Status
    reason: Reason


def first_stop(facts: GateFacts) -> Stop | None:
    """The first gate that is closed; None means the deep lane may run."""
    if not (facts.server_enabled and facts.agent_enabled):
        return Stop(Status.SKIPPED, Reason.RECALL_OFF)
    # A chat that the scope refuses as well is told so, whichever gate stopped it first.
    closed = Status.SKIPPED if facts.scope_allowed else Status.DENIED
    if facts.chat_type not in facts.allowed_chat_types:
        return Stop(closed, Reason.CHAT_TYPE_NOT_ALLOWED)
    if not _chat_allowed(facts):
        return Stop(closed, Reason.CHAT_DENIED)
    if not facts.session_enabled:
        return Stop(closed, Reason.SESSION_DISABLED)
    if not facts.scope_allowed:
        return Stop(Status.DENIED, Reason.SCOPE_DENIED)
    if facts.message_empty:
        return Stop(Status.SKIPPED, Reason.EMPTY_MESSAGE)
    return _lane_stop(facts)


def _chat_allowed(facts: GateFacts) -> bool:
    """A deny always wins; an allow list must name every id of the chat, and a chat without one is not on it."""
    if facts.chat_ids & facts.denied_chat_ids:
        return False
    if not facts.allowed_chat_ids:
        return True
    return bool(facts.chat_ids) and facts.chat_ids <= facts.allowed_chat_ids


def _lane_stop(facts: GateFacts) -> Stop | None:
    if facts.mode == "off":
        return (
            Stop(Status.OK, Reason.STRONG_FAST_HIT) if facts.strong_fast_hit else Stop(Status.SKIPPED, Reason.MODE_OFF)
        )
    if facts.mode == "escalate":
        if facts.strong_fast_hit:
            return Stop(Status.OK, Reason.STRONG_FAST_HIT)
        if facts.recall_intent is False:
            return Stop(Status.SKIPPED, Reason.NO_RECALL_INTENT)
    if facts.breaker_open:
        return Stop(Status.SKIPPED, Reason.BREAKER_OPEN)
    return None
