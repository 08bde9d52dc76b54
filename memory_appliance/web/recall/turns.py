"""The lists of turns: of one agent, and of all that a person may see."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.access.roles import agents_for, is_owner
from agents.memory.recall_events import EventFilter, find_events
from agents.models import Agent, RecallEvent
from agents.registry.fleet.totals import recall_outcomes
from memory_appliance.web.access import Access, agent_page, person_page
from memory_appliance.web.days import day_of
from memory_appliance.web.page import answer
from memory_appliance.web.recall.form import EventForm
from memory_appliance.web.recall.words import LANES, reason_of
from memory_appliance.web.scope.words import CHAT_TYPES
from memory_appliance.web.words import OUTCOMES, TROUBLED_OUTCOMES
from search.dates.zone import zone

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ROWS = 50
_TONES = {"ok": "good", "timeout_partial": "good", "denied": "warn"}
LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class TurnRow:
    """An event as the lists show it; `day` and `at` in the agent's time zone."""

    event: RecallEvent
    day: str
    at: datetime
    outcome: StrOrPromise
    tone: str
    reason: StrOrPromise
    lane: StrOrPromise
    chat: StrOrPromise


@dataclass(frozen=True, slots=True)
class TurnsPage:
    rows: tuple[TurnRow, ...] = ()
    newer: int | None = None
    older: int | None = None
    live: bool = False
    """Whether it asks for itself again: the newest page does."""


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many turns of the last 24 hours came to this; `query` chooses them."""

    query: str
    label: StrOrPromise
    tone: str
    count: int
    chosen: bool


def row_of(event: RecallEvent) -> TurnRow:
    at = event.at.astimezone(zone(event.agent.timezone))
    return TurnRow(
        event=event,
        day=day_of(at),
        at=at,
        outcome=OUTCOMES.get(event.status, event.status),
        tone=_tone(event.status),
        reason=reason_of(event.reason),
        lane=LANES.get(event.lane, ""),
        chat=CHAT_TYPES.get(event.chat_type, event.chat_type),
    )


def _tone(status: str) -> str:
    return "bad" if status in TROUBLED_OUTCOMES else _TONES.get(status, "")


def _counts(events: Q, chosen: str) -> list[OutcomeCount]:
    """Of the last 24 hours, in the order of `OUTCOMES`, those that there were."""
    totals: Counter[str] = Counter()
    for of_agent in recall_outcomes(events).values():
        totals.update(of_agent)
    return [
        OutcomeCount(f"?{urlencode({'status': status})}", label, _tone(status), totals[status], status == chosen)
        for status, label in OUTCOMES.items()
        if totals[status]
    ]


@agent_page("view")
@require_safe
def turns(request: HttpRequest, access: Access) -> HttpResponse:
    form = EventForm(request.GET, agent=access.agent)
    page = _page(request, form.wanted(), Q()) if form.is_valid() else TurnsPage()
    counts = _counts(Q(agent=access.agent), request.GET.get("status", ""))
    return answer(request, "recall/turns.html", {"access": access, "form": form, "page": page, "counts": counts})


@person_page
@require_safe
def fleet_turns(request: HttpRequest) -> HttpResponse:
    visible = agents_for(request.user)
    agents = list(Agent.objects.filter(visible).only("slug", "name", "timezone"))
    if not agents and not is_owner(request.user):
        return answer(request, "account/no_access.html", {}, status=403)
    form = EventForm(request.GET, agents=agents)
    page = _page(request, form.wanted(), visible) if form.is_valid() else TurnsPage()
    counts = _counts(Q(agent__in=agents), request.GET.get("status", ""))
    context = {"form": form, "page": page, "agents": agents, "counts": counts}
    return answer(request, "recall/fleet.html", context)


def _page(request: HttpRequest, wanted: EventFilter, visible: Q) -> TurnsPage:
    before, after = (_number(request.GET.get(name, "")) for name in ("before", "after"))
    found = find_events(wanted, visible, limit=ROWS, before=before, after=after)
    return TurnsPage(
        rows=tuple(row_of(event) for event in found.events),
        newer=found.newer,
        older=found.older,
        live=before is None and after is None,
    )


def _number(text: str) -> int | None:
    """The id in an address; None for what is none, as if it was not there."""
    return min(int(text), LARGEST_ID) if text.isascii() and text.isdigit() and len(text) < 20 else None
