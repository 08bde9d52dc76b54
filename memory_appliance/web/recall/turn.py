"""One turn: what was asked as far as it is kept, the gates, what was found, and where the time went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.memory.recall_events import find_event
from agents.models import RecallEvent
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.page import answer
from memory_appliance.web.recall.gates import GateRow, gates_of_event
from memory_appliance.web.recall.intent import IntentView, intent_view
from memory_appliance.web.recall.steps import SourceLink, StepRow, source_links, step_rows
from memory_appliance.web.recall.turns import LARGEST_ID, TurnRow, row_of
from memory_appliance.web.words import degradation
from search.recall.intent import IntentVerdict
from search.recall.outcome import Source, Step


@dataclass(frozen=True, slots=True)
class TurnPage:
    row: TurnRow
    gates: tuple[GateRow, ...]
    intent: IntentView | None
    steps: tuple[StepRow, ...]
    sources: tuple[SourceLink, ...]
    degraded: tuple[Any, ...]
    refused: tuple[str, ...]
    generator: str
    cached: bool


@agent_page("view")
@require_safe
def turn(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    event = find_event(access.agent, min(number, LARGEST_ID))
    if event is None:
        raise Http404
    return answer(request, "recall/turn.html", {"access": access, "turn": _page(access, event)})


def _page(access: Access, event: RecallEvent) -> TurnPage:
    detail = event.detail
    verdict = IntentVerdict(**event.intent) if event.intent else None
    return TurnPage(
        row=row_of(event),
        gates=gates_of_event(event),
        intent=intent_view(verdict, event.message or None) if verdict else None,
        steps=step_rows((Step(**step) for step in event.steps), event.elapsed_ms),
        sources=source_links(access.agent, (Source(**source) for source in event.sources)),
        degraded=tuple(degradation(code) for code in detail.get("degraded", ())),
        refused=tuple(detail.get("refused", ())),
        generator=detail.get("generator", ""),
        cached=bool(detail.get("cached")),
    )
