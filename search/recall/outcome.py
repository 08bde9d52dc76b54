"""What a turn's recall answers: status, reason, lane, the block to prepend, and every step on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from search.citations import Pages, citation
from search.recall.intent import IntentVerdict

Lane = Literal["fast", "deep"]


class Status(StrEnum):
    OK = "ok"
    NO_RELEVANT_MEMORY = "no_relevant_memory"
    SKIPPED = "skipped"
    TIMEOUT = "timeout"
    TIMEOUT_PARTIAL = "timeout_partial"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"
    DENIED = "denied"


class Reason(StrEnum):
    """Why a turn got its status; docs/recall.md explains each."""

    RECALL_OFF = "recall_off"
    CHAT_TYPE_NOT_ALLOWED = "chat_type_not_allowed"
    CHAT_DENIED = "chat_denied"
    SESSION_DISABLED = "session_disabled"
    SCOPE_DENIED = "scope_denied"
    EMPTY_MESSAGE = "empty_message"
    MODE_OFF = "mode_off"
    STRONG_FAST_HIT = "strong_fast_hit"
    NO_RECALL_INTENT = "no_recall_intent"
    BREAKER_OPEN = "breaker_open"
    FOUND = "found"
    NOTHING_FOUND = "nothing_found"
    NOT_GROUNDED = "not_grounded"
    NO_GENERATOR = "no_generator"
    NO_INDEX = "no_index"
    DEADLINE = "deadline"
    BUSY = "busy"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Source:
    """Lines of a file, 1-based and inclusive; of a document also the pages of the passage they are from."""

    path: str
    start_line: int
    end_line: int
    pages: Pages | None = field(default=None, compare=False)

    @property
    def cited(self) -> str:
        return citation(self.path, self.start_line, self.end_line, self.pages)


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the block: what it says and where it stands."""

    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done, how long it took, and what came of it in a few words (never memory text)."""

    name: str
    took_ms: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """One gate, named by the reason it gives when closed; None where what decides it was not learned."""

    reason: Reason
    closed: bool | None


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    status: Status
    reason: Reason
    lane: Lane | None = None
    intent: IntentVerdict | None = None
    summary: str = ""
    sources: tuple[Source, ...] = ()
    context: str = ""
    query: str = ""
    steps: tuple[Step, ...] = ()
    cached: bool = False
    facts: dict[str, Any] = field(default_factory=dict)
    """For the record: which generator wrote, which tools were refused, what was degraded."""
    gates: tuple[GateVerdict, ...] = ()
    """In the order in which they are asked, also those behind the one that ended the turn."""
