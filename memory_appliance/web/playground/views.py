"""The playground's two pages: one agent's search, and the way to it when no agent is named yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from agents.access.roles import agents_for, is_owner
from agents.access.scope import Decision
from agents.core.agent_settings import read_settings
from agents.indexes.specs import index_spec
from agents.memory.opening import check_scope
from agents.memory.reads import MAX_QUERY_CHARS
from agents.models import Agent
from memory_appliance.web.access import Access, agent_page, person_page
from memory_appliance.web.page import answer, wants_part
from memory_appliance.web.playground.asked import MODES, Asked
from memory_appliance.web.playground.columns import Column, columns
from memory_appliance.web.playground.form import MODE_LABELS, SearchForm
from memory_appliance.web.scope.words import CHAT_TYPES
from search.spec import Mode

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

LAST_AGENT = "agent"
"""The cookie with the agent whose memory this browser searched last."""
A_YEAR_SECONDS = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Page:
    """What the page shows below its form. `decision` is there when a chat was named to search as."""

    asked: Asked | None
    columns: tuple[Column, ...] = ()
    decision: Decision | None = None
    cut: bool = False

    @property
    def link(self) -> str:
        return self.asked.address() if self.asked else ""

    @property
    def rule_number(self) -> int | None:
        """As the page of the rules counts them, from 1."""
        return None if self.decision is None or self.decision.rule is None else self.decision.rule + 1

    @property
    def chat(self) -> StrOrPromise:
        return CHAT_TYPES[self.decision.derived.chat_type] if self.decision is not None else ""

    @property
    def found(self) -> int:
        return sum(len(column.hits) for column in self.columns)


@person_page
@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    """On to the agent that is named, the only one, or the one searched last; `choose` asks for the list of them."""
    agents = list(Agent.objects.filter(agents_for(request.user)).only("slug", "name"))
    if not agents and not is_owner(request.user):
        return answer(request, "account/no_access.html", {}, status=403)
    rest = request.GET.copy()
    wanted = rest.pop("agent", [request.COOKIES.get(LAST_AGENT, "")])[-1]
    asks = rest.pop("choose", [])
    agent = next((agent for agent in agents if agent.slug == wanted), agents[0] if len(agents) == 1 else None)
    query = f"?{rest.urlencode()}" if rest else ""
    if agent is None or (asks and len(agents) > 1):
        return answer(request, "playground/choose.html", {"agents": agents, "query": query})
    return redirect(reverse("search", args=[agent.slug]) + query)


@agent_page("view")
@require_safe
def playground(request: HttpRequest, access: Access) -> HttpResponse:
    prefetch_related_objects([access.agent], "collections", "scope_rules", "shared_in")
    own = read_settings(access.agent)
    form = SearchForm(request.GET, own, [collection.name for collection in index_spec(access.agent).collections])
    page = _page(request, access, form.asked()) if form.is_valid() else Page(None)
    context: dict[str, Any] = {
        "access": access,
        "form": form,
        "modes": [(mode, MODE_LABELS[mode], mode in form.chosen_modes) for mode in MODES],
        "folded": [form[name] for name in ("corpus", "limit", "min_score", "intent")],
        "chat": [form[name] for name in ("session", "chat_type")],
        "collections": form.collection_choices,
        "page": page,
        "most_chars": MAX_QUERY_CHARS,
    }
    response = answer(request, "playground/page.html", context)
    if wants_part(request) and page.asked and not _only(request, page.asked):
        response["HX-Replace-Url"] = request.path + page.link
    response.set_cookie(
        LAST_AGENT,
        access.agent.slug,
        max_age=A_YEAR_SECONDS,
        path=settings.SESSION_COOKIE_PATH,
        samesite="Lax",
        httponly=True,
        secure=request.is_secure(),
    )
    return response


def _page(request: HttpRequest, access: Access, asked: Asked) -> Page:
    """A chat that the rules refuse is not searched for: trying things out leaves no denials in the audit log."""
    decision = None
    if asked.chat:
        decision = check_scope(agent=access.agent, caller=asked.chat.caller(access.actor), session=asked.chat.session)
    if not asked.query.strip() or (decision is not None and not decision.allowed):
        return Page(asked, decision=decision)
    shown = columns(access, asked, only=_only(request, asked), patient=not wants_part(request))
    return Page(asked, tuple(shown), decision, cut=len(asked.query) > MAX_QUERY_CHARS)


def _only(request: HttpRequest, asked: Asked) -> Mode | None:
    wanted = request.GET.get("only", "")
    return next((mode for mode in asked.modes if mode == wanted), None)
