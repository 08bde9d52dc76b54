"""first_stop(): the gate order of a turn, as one pure function that every step and `ready` ask.

Facts that are not known yet are None and stop nothing; the turn asks again whenever it has learned another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from search.recall.choices import RecallMode
from search.recall.outcome import GateVerdict, Reason, Status


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
    small_talk: bool = False
    """The message holds greetings, thanks, laughter and nods alone: nothing is looked up, in any mode."""
    breaker_open: bool | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    status: Status
    reason: Reason


def first_stop(facts: GateFacts) -> Stop | None:
    """The first gate that is closed; None means the deep lane may run."""
    return next((Stop(_status(reason, facts), reason) for reason, closed in _GATES if closed(facts)), None)


def gate_verdicts(facts: GateFacts) -> tuple[GateVerdict, ...]:
    """What each gate says by itself, whatever the others say."""
    return tuple(GateVerdict(reason, closed(facts)) for reason, closed in _GATES)


def _status(reason: Reason, facts: GateFacts) -> Status:
    if reason is Reason.STRONG_FAST_HIT:
        return Status.OK
    # A chat that the scope refuses as well is told so, whichever gate stopped it first.
    denied = not facts.scope_allowed and reason is not Reason.RECALL_OFF
    return Status.DENIED if denied else Status.SKIPPED


def _chat_denied(facts: GateFacts) -> bool:
    """A deny always wins; an allow list must name every id of the chat, and a chat without one is not on it."""
    if facts.chat_ids & facts.denied_chat_ids:
        return True
    if not facts.allowed_chat_ids:
        return False
    return not (facts.chat_ids and facts.chat_ids <= facts.allowed_chat_ids)


def _fast_hit_is_enough(facts: GateFacts) -> bool | None:
    return facts.strong_fast_hit if facts.mode != "always" else False


def _no_intent(facts: GateFacts) -> bool | None:
    if facts.small_talk:
        return True
    if facts.mode != "escalate":
        return False
    return None if facts.recall_intent is None else not facts.recall_intent


_GATES: tuple[tuple[Reason, Callable[[GateFacts], bool | None]], ...] = (
    (Reason.RECALL_OFF, lambda facts: not (facts.server_enabled and facts.agent_enabled)),
    (Reason.CHAT_TYPE_NOT_ALLOWED, lambda facts: facts.chat_type not in facts.allowed_chat_types),
    (Reason.CHAT_DENIED, _chat_denied),
    (Reason.SESSION_DISABLED, lambda facts: not facts.session_enabled),
    (Reason.SCOPE_DENIED, lambda facts: not facts.scope_allowed),
    (Reason.EMPTY_MESSAGE, lambda facts: facts.message_empty),
    (Reason.STRONG_FAST_HIT, _fast_hit_is_enough),
    (Reason.MODE_OFF, lambda facts: facts.mode == "off"),
    (Reason.NO_RECALL_INTENT, _no_intent),
    (Reason.BREAKER_OPEN, lambda facts: facts.breaker_open),
)
"""Whether each gate is closed, in the order in which they are asked; None: not known yet, which stops nothing."""
