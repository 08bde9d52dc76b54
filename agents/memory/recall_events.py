"""Recall events: one line per turn, listed for the owner and forgotten after the agent's retention."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import OperationalError
from django.db.models import Q, QuerySet
from django.utils import timezone

from agents.access.scope import Decision
from agents.access.sessions import Session, canonical
from agents.columns.public_ids import unveiled, veiled
from agents.core.agent_settings import AgentSettings, read_settings
from agents.core.apart import apart
from agents.models import Agent, RecallEvent
from search.recall.outcome import Lane, Reason, RecallOutcome, Status
from search.retrieve.query import content_words

logger = logging.getLogger(__name__)


def session_digest(session: Session | None, *, folded: bool = False) -> str:
    """What a chat is called in events and toggles; "" for a call without a session key.

    `folded`: as it was called when keys had small letters alone.
    """
    key = canonical(session.key or "") if session else ""
    key = key.lower() if folded else key
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest() if key else ""


def record_event(
    *,
    agent: Agent,
    own: AgentSettings,
    session: Session | None,
    decision: Decision,
    message: str,
    outcome: RecallOutcome,
    elapsed_ms: float,
) -> int | None:
    """The event's id; None, with a line in the log, when the control database cannot be written."""
    try:
        event = RecallEvent.objects.create(
            agent=agent,
            session=session_digest(session),
            chat_type=decision.derived.chat_type,
            channel=(decision.derived.channel or "")[:200],
            status=outcome.status.value,
            reason=outcome.reason.value,
            lane=outcome.lane or "",
            elapsed_ms=elapsed_ms,
            steps=[asdict(step) for step in outcome.steps],
            query=_storable(outcome.query if own.recall_store_messages else content_words(outcome.query)),
            query_chars=len(outcome.query),
            message=_storable(message) if own.recall_store_messages else "",
            intent=asdict(outcome.intent) if outcome.intent else None,
            sources=[asdict(source) for source in outcome.sources],
            summary_chars=len(outcome.summary),
            detail={**outcome.facts, "cached": outcome.cached},
        )
    except OperationalError:
        logger.exception("a recall event could not be written: %s %s", outcome.status, outcome.reason)
        return None
    return event.public_id


def recall_events(agent: Agent, *, status: Status | None, limit: int) -> Sequence[RecallEvent]:
    """Newest first."""
    events = RecallEvent.objects.filter(agent=agent)
    if status is not None:
        events = events.filter(status=status.value)
    return list(events[:limit])


@dataclass(frozen=True, slots=True)
class EventFilter:
    """What is given must hold. `session` is a digest (`session_digest`); days are half-open: since ≤ at < until."""

    agent: Agent | None = None
    status: Status | None = None
    reason: Reason | None = None
    lane: Lane | None = None
    session: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class EventPage:
    """Newest first, each with its agent; `newer` and `older` are the places to go on from, None at the ends."""

    events: tuple[RecallEvent, ...]
    newer: int | None
    older: int | None


def find_events(
    wanted: EventFilter, visible: Q, *, limit: int, before: int | None = None, after: int | None = None
) -> EventPage:
    """A page of events of agents that are `visible` (roles.agents_for), older than `before` or newer than `after`."""
    events = _matching(wanted, visible)
    before, after = (_row(place) for place in (before, after))
    if after is not None:
        rows = list(events.filter(pk__gt=after).order_by("pk")[: limit + 1])
        more, rows = len(rows) > limit, rows[:limit][::-1]
        return _page(rows, newer=more, older=bool(rows))
    if before is not None:
        events = events.filter(pk__lt=before)
    rows = list(events.order_by("-pk")[: limit + 1])
    return _page(rows[:limit], newer=before is not None, older=len(rows) > limit)


def find_event(agent: Agent, number: int) -> RecallEvent | None:
    return RecallEvent.objects.filter(Q(number=number) | Q(number=0, pk=number), agent=agent).first()


def _matching(wanted: EventFilter, visible: Q) -> QuerySet[RecallEvent]:
    events = RecallEvent.objects.select_related("agent")
    if wanted.agent is not None:
        events = events.filter(agent=wanted.agent)
    elif visible:
        events = events.filter(agent__in=list(Agent.objects.filter(visible).values_list("pk", flat=True)))
    named = {"status": wanted.status, "reason": wanted.reason, "lane": wanted.lane, "session": wanted.session}
    events = events.filter(**{name: value for name, value in named.items() if value})
    between = {"at__gte": wanted.since, "at__lt": wanted.until}
    days = {name: moment for name, moment in between.items() if moment is not None}
    # As a set of ids: else the database walks all events back to that day in the order of their ids.
    return events.filter(pk__in=RecallEvent.objects.filter(**days).values("pk")) if days else events


def _row(place: int | None) -> int | None:
    """Beyond all places: as if none was given."""
    row = -1 if place is None else unveiled("recall", place)
    return None if row < 0 else row


def _page(rows: list[RecallEvent], *, newer: bool, older: bool) -> EventPage:
    ends = [veiled("recall", row.pk) for row in (rows[0], rows[-1])] if rows else [None, None]
    return EventPage(tuple(rows), newer=ends[0] if newer else None, older=ends[1] if older else None)


def prune_recall_events() -> int:
    """Forget what is older than each agent keeps it. Returns how many events went."""
    gone = 0
    now = timezone.now()
    for agent in Agent.objects.only("id", "settings", "defaults").iterator():
        with apart(str(agent.pk), "forgetting old recall events"):
            keep = timedelta(days=read_settings(agent).recall_retention_days)
            gone += RecallEvent.objects.filter(agent=agent, at__lt=now - keep).delete()[0]
    return gone


def _storable(text: str) -> str:
    """Without lone surrogates and zero bytes, which no database takes."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "�")
