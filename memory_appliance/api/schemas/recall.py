"""A turn's recall and its answer, recall events, the toggle and the question whether recall would run."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from agents.memory.recall import MAX_MESSAGE_CHARS, Readiness, Recalled, RecallParams, refused
from agents.models import RecallEvent, RecallToggle
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.scope import DenialAnswer, SessionBody, denial_answer
from search.recall.choices import QueryMode, RecallMode
from search.recall.outcome import Reason, Status
from search.recall.query import HistoryTurn


class HistoryBody(Body):
    role: str = Field(max_length=40, examples=["user"])
    text: str


class RecallBody(Body):
    """The user's latest message and the chat it was written in; what is left out comes from the agent's settings."""

    message: str = Field(description=f"What is beyond {MAX_MESSAGE_CHARS} characters is left out.")
    session: SessionBody | None = None
    history: list[HistoryBody] = Field(
        default_factory=list, max_length=1000, description="Earlier turns, oldest first."
    )
    mode: RecallMode | None = None
    query_mode: QueryMode | None = None
    timeout_ms: int | None = Field(
        None, ge=0, description="What is below 250 counts as 250, what is above 120,000 as 120,000."
    )

    def params(self) -> RecallParams:
        return RecallParams(
            message=self.message,
            history=tuple(HistoryTurn(turn.role, turn.text) for turn in self.history),
            mode=self.mode,
            query_mode=self.query_mode,
            timeout_ms=self.timeout_ms,
        )


class SourceAnswer(Answer):
    path: str
    start_line: int
    end_line: int
    pages: tuple[int, int] | None = Field(
        default=None, description="First and last page, where it is of a document with pages."
    )


class IntentAnswer(Answer):
    verdict: Literal["recall", "none"]
    score: float
    evidence: str


class RecallAnswer(Answer):
    """`context` is the block to prepend to the prompt, escaped and marked as untrusted; "" when there is none."""

    status: Status
    lane: Literal["fast", "deep"] | None
    reason: Reason
    intent: IntentAnswer | None = None
    summary: str
    sources: list[SourceAnswer]
    context: str
    elapsed_ms: float
    summary_chars: int
    event_id: int | None
    scope: DenialAnswer | None = None
    index_behind: bool = Field(
        False, description="With several servers: what was written last elsewhere could not be read in time."
    )


class StepAnswer(Answer):
    name: str
    took_ms: float
    detail: str


class EventAnswer(Answer):
    """`query` is the terms looked for, or the whole query when the agent stores messages; then `message` is there."""

    id: int
    at: datetime
    status: Status
    reason: Reason
    lane: Literal["fast", "deep"] | None
    session: str
    chat_type: str
    channel: str
    elapsed_ms: float
    steps: list[StepAnswer]
    query: str
    query_chars: int
    message: str | None
    intent: IntentAnswer | None
    sources: list[SourceAnswer]
    summary_chars: int
    detail: dict[str, Any]


class EventsAnswer(Answer):
    items: list[EventAnswer]


class ToggleBody(Body):
    """Without a session: for every chat of the agent."""

    session: SessionBody | None = None
    enabled: bool


class ToggleAnswer(Answer):
    enabled: bool
    applies_to: Literal["session", "all"]


class ReadyAnswer(Answer):
    """`reason` names the gate that is closed; null when a turn of this chat would come to the lanes."""

    ready: bool
    reason: Reason | None
    mode: RecallMode
    chat_type: str
    scope: DenialAnswer


def recall_answer(recalled: Recalled) -> RecallAnswer:
    """Fields that do not apply are left out, not null: the route answers with what is set here."""
    outcome = recalled.outcome
    there: dict[str, Any] = {}
    if outcome.intent is not None:
        there["intent"] = IntentAnswer(
            verdict=outcome.intent.verdict, score=round(outcome.intent.score, 6), evidence=outcome.intent.evidence
        )
    if refused(recalled):
        there["scope"] = denial_answer(recalled.decision)
    if recalled.index_behind:
        there["index_behind"] = True
    return RecallAnswer(
        status=outcome.status,
        lane=outcome.lane,
        reason=outcome.reason,
        summary=outcome.summary,
        sources=[
            SourceAnswer(path=source.path, start_line=source.start_line, end_line=source.end_line, pages=source.pages)
            for source in outcome.sources
        ],
        context=outcome.context,
        elapsed_ms=recalled.elapsed_ms,
        summary_chars=len(outcome.summary),
        event_id=recalled.event_id,
        **there,
    )


def event_answer(event: RecallEvent) -> EventAnswer:
    return EventAnswer(
        id=event.public_id,
        at=event.at,
        status=Status(event.status),
        reason=Reason(event.reason),
        lane=event.lane or None,  # type: ignore[arg-type] # stored from the same enum
        session=event.session,
        chat_type=event.chat_type,
        channel=event.channel,
        elapsed_ms=event.elapsed_ms,
        steps=[StepAnswer(**step) for step in event.steps],
        query=event.query,
        query_chars=event.query_chars,
        message=event.message or None,
        intent=IntentAnswer(**event.intent) if event.intent else None,
        sources=[SourceAnswer(**source) for source in event.sources],
        summary_chars=event.summary_chars,
        detail=event.detail,
    )


def toggle_answer(toggle: RecallToggle) -> ToggleAnswer:
    return ToggleAnswer(enabled=toggle.enabled, applies_to="session" if toggle.session else "all")


def ready_answer(readiness: Readiness) -> ReadyAnswer:
    return ReadyAnswer(
        ready=readiness.stop is None,
        reason=readiness.stop.reason if readiness.stop else None,
        mode=readiness.mode,
        chat_type=readiness.decision.derived.chat_type,
        scope=denial_answer(readiness.decision),
    )
