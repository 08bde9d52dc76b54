"""Which agents want a look, as one rule for the database and in words for one agent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from django.db.models import Case, Q, Value, When

from agents.core.agent_settings import memory_on
from agents.models import Agent, IndexSnapshot

State = Literal["off", "failed", "late", "degraded", "new", "fresh"]
WANTS_A_LOOK: tuple[State, ...] = ("failed", "late", "degraded")

LATE = timedelta(minutes=10)
"""An update that is overdue by this much does not come by itself: a busy worker is never so far behind."""


def wants_a_look(now: datetime) -> Case:
    """An annotation: 1 for agents of which `state_of` says one of WANTS_A_LOOK, else 0."""
    resting = Q(settings__memory_enabled=False)
    degraded = Q(snapshot__isnull=False) & ~Q(snapshot__degraded=[])
    return Case(
        When(resting, then=Value(0)),
        When(~Q(last_error="") | Q(next_update_at__lt=now - LATE) | degraded, then=Value(1)),
        default=Value(0),
    )


def state_of(agent: Agent, snapshot: IndexSnapshot | None, now: datetime) -> State:
    """The one thing to say of an agent first."""
    if not memory_on(agent.settings):
        return "off"
    if agent.last_error:
        return "failed"
    if agent.next_update_at is not None and agent.next_update_at < now - LATE:
        return "late"
    if snapshot is not None and snapshot.degraded:
        return "degraded"
    return "new" if agent.last_update_at is None else "fresh"
