"""/start/index: watch the new agent's index come, write a first note where there is none, and ask it something."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents.core.errors import RuleError
from agents.files.notes import note
from agents.indexes.specs import index_spec
from agents.memory import reads
from agents.memory.reads import Denied, Searched, SearchParams
from memory_appliance.web.access import Access, access_to, owner_page
from memory_appliance.web.agent.health import AgentHealth, health_of
from memory_appliance.web.first_run.steps import chosen_agent, steps, with_agent
from memory_appliance.web.page import answer
from memory_appliance.web.told import refusal, remark
from memory_appliance.web.words import degradation
from search.outcome import Hit

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MOST_HITS = 3
MAX_QUESTION_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Answered:
    """What the memory says to the question; `degraded` what was missing on the way.

    `unsure`: nothing reached the least score, and the hits are what came nearest.
    """

    question: str
    hits: tuple[Hit, ...]
    degraded: tuple[StrOrPromise, ...]
    unsure: bool = False


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest) -> HttpResponse:
    """?q= asks. A POST writes the note that an empty memory begins with."""
    agent = chosen_agent(request)
    if agent is None:
        return HttpResponseRedirect(reverse("start-agent"))
    access = access_to(request, agent.slug)
    if request.method == "POST":
        return _write(request, access)
    health = health_of(access)
    context = {
        "access": access,
        "health": health,
        "empty": _is_empty(health),
        "question": request.GET.get("q", "").strip()[:MAX_QUESTION_CHARS],
        "answered": _ask(access, request.GET.get("q", "")),
        "connect": with_agent("start-connect", agent),
        "collections": [str(part.root) for part in index_spec(agent).collections],
        "steps": steps("index", agent),
    }
    return answer(request, "first_run/index.html", context)


def _write(request: HttpRequest, access: Access) -> HttpResponse:
    try:
        note(agent=access.agent, caller=access.caller, text=request.POST.get("text", ""), target="memory")
        messages.success(request, _("Note added. Now ask about it."))
    except RuleError as error:
        messages.error(request, refusal(error))
    return HttpResponseRedirect(with_agent("start-index", access.agent))


def _ask(access: Access, question: str) -> Answered | None:
    question = question.strip()[:MAX_QUESTION_CHARS]
    if not question:
        return None
    asked = SearchParams(question, max_results=MOST_HITS, citations="off", counts=False)
    found = _search(access, asked)
    if not isinstance(found, Searched):
        return Answered(question, (), (remark(found.decision.reason),))
    unsure = found.outcome.outcome == "empty"
    if unsure:
        # At a first question to a few notes, the nearest one says more than none.
        nearest = _search(access, replace(asked, max_results=1, min_score=0.0))
        found = nearest if isinstance(nearest, Searched) else found
    outcome = found.outcome
    missing = tuple(degradation(one.code) for one in outcome.degraded)
    return Answered(question, tuple(outcome.results), missing, unsure and bool(outcome.results))


def _search(access: Access, params: SearchParams) -> Searched | Denied:
    return reads.search(agent=access.agent, caller=access.caller, session=None, params=params)


def _is_empty(health: AgentHealth) -> bool:
    """Looked at, and nothing found."""
    return not health.active and (health.index is None or not health.index.chunks)
