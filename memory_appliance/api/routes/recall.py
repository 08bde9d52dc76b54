"""/agents/{slug}/recall and what belongs to it: what to remember before a reply, and why, or why not."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router

from agents.access.sessions import Session
from agents.core.errors import Invalid
from agents.memory import recall as active_memory
from agents.memory.recall_events import recall_events
from agents.memory.recall_toggles import set_recall_toggle
from memory_appliance.admission.requests import ARRIVED
from memory_appliance.api.auth import READ, WRITE, actor_of, agent_of, caller_of
from memory_appliance.api.limits import RowLimit
from memory_appliance.api.schemas.recall import (
    EventsAnswer,
    ReadyAnswer,
    RecallAnswer,
    RecallBody,
    ToggleAnswer,
    ToggleBody,
    event_answer,
    ready_answer,
    recall_answer,
    toggle_answer,
)
from search.recall.outcome import Status

router = Router(tags=["recall"], auth=READ)


@router.post("/{slug}/recall", response=RecallAnswer, exclude_unset=True, operation_id="recall")
def recall(request: HttpRequest, slug: str, payload: RecallBody) -> RecallAnswer:
    """What memory holds about the user's latest message, as a block to prepend, or the reason why there is none."""
    recalled = active_memory.recall(
        agent=agent_of(request, slug),
        caller=caller_of(request),
        session=payload.session.session() if payload.session else None,
        params=payload.params(),
        arrived=request.META.get(ARRIVED),
    )
    return recall_answer(recalled)


@router.get("/{slug}/recall_events", response=EventsAnswer, operation_id="list_recall_events")
def list_recall_events(
    request: HttpRequest, slug: str, status: Status | None = None, limit: RowLimit = 100
) -> EventsAnswer:
    """One event per turn, newest first."""
    events = recall_events(agent_of(request, slug), status=status, limit=limit)
    return EventsAnswer(items=[event_answer(event) for event in events])


@router.post("/{slug}/recall/toggle", response=ToggleAnswer, auth=WRITE, operation_id="toggle_recall")
def toggle_recall(request: HttpRequest, slug: str, payload: ToggleBody) -> ToggleAnswer:
    """Recall on or off for one chat, or for all chats of the agent; it stays so until it is changed."""
    agent, session = agent_of(request, slug), payload.session.session() if payload.session else None
    if session is not None and not (session.key or "").strip():
        raise Invalid(
            "A single chat is named by its session key.",
            hint="Leave the session out for all chats.",
            field="session.key",
        )
    return toggle_answer(
        set_recall_toggle(actor=actor_of(request), agent=agent, session=session, enabled=payload.enabled)
    )


@router.get("/{slug}/recall/ready", response=ReadyAnswer, operation_id="recall_ready")
def recall_ready(
    request: HttpRequest, slug: str, session_key: Annotated[str | None, Query(max_length=1000)] = None
) -> ReadyAnswer:
    """Whether a turn of this chat would be recalled for, and if not, which gate is closed."""
    readiness = active_memory.recall_ready(
        agent=agent_of(request, slug),
        caller=caller_of(request),
        session=Session(key=session_key) if session_key is not None else None,
    )
    return ready_answer(readiness)
