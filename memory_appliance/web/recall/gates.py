"""Gates as the pages show them: each with whether it was open, closed, or not asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agents.models import RecallEvent
from memory_appliance.web.recall.words import GATES
from search.recall.outcome import Reason, RecallOutcome, Status

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

State = Literal["open", "closed", "unasked"]


@dataclass(frozen=True, slots=True)
class GateRow:
    """`decided`: the one that ended the turn."""

    text: StrOrPromise
    state: State
    decided: bool = False


def gates_of_trial(outcome: RecallOutcome) -> tuple[GateRow, ...]:
    """What each gate said, also those behind the one that ended the turn."""
    first = next((verdict.reason for verdict in outcome.gates if verdict.closed), None)
    return tuple(
        GateRow(GATES[verdict.reason], _state(verdict.closed), verdict.reason is first) for verdict in outcome.gates
    )


def gates_of_event(event: RecallEvent) -> tuple[GateRow, ...]:
    """From the reason that was kept: those before it were open, those behind it were not asked."""
    order = list(GATES)
    ended = event.status in (Status.SKIPPED, Status.DENIED) or event.reason == Reason.STRONG_FAST_HIT
    place = next((at for at, reason in enumerate(order) if ended and reason == event.reason), len(order))
    return tuple(
        GateRow(GATES[reason], "open" if at < place else "closed" if at == place else "unasked", at == place)
        for at, reason in enumerate(order)
    )


def _state(closed: bool | None) -> State:
    return "unasked" if closed is None else "closed" if closed else "open"
