"""The page: the rules as a form that keeps nothing until it is saved, with what is wrong beside each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents import services
from agents.errors import Invalid
from agents.scope import Scope
from agents.scope_never import NeverDecides, never_decides
from agents.services.scope import MAX_RULES
from agents.specs import scope_of
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.page import answer
from memory_appliance.web.scope.check import Check, check
from memory_appliance.web.scope.draft import Draft, DraftRule, digest_of, draft_of, read_draft
from memory_appliance.web.scope.words import CHAT_TYPES, TEMPLATES, of_never

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Row:
    """A rule of the draft as the page shows it. `never`: why it decides for no chat; "" when it may."""

    number: int
    place: int
    rule: DraftRule
    never: str = ""
    harmless: bool = False
    first: bool = False
    last: bool = False
    focus: str = ""
    """Which of its controls has the focus after a button: `up`, `down` or `action`."""


@dataclass(frozen=True, slots=True)
class ScopePage:
    default: str
    seen: str
    rows: tuple[Row, ...]
    changed: bool
    full: bool
    check: Check
    error: str = ""


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def scope_rules(request: HttpRequest, access: Access) -> HttpResponse:
    stored = scope_of(access.agent)
    if request.method != "POST":
        return _shown(request, access, stored, draft_of(stored))
    draft = read_draft(request.POST)
    if request.POST.get("do") != "save":
        return _shown(request, access, stored, draft.after(request.POST.get("do", "")))
    if draft.seen != digest_of(stored):
        error = _("Somebody else has changed the rules meanwhile. Yours are below; save again to put them in place.")
        fresh = Draft(draft.default, draft.rules, digest_of(stored))
        return _shown(request, access, stored, fresh, error=error, status=409)
    try:
        services.set_scope(actor=access.actor, agent=access.agent, scope=draft.scope())
    except Invalid as refusal:
        error = f"{refusal.message} {refusal.hint}"
        return _shown(request, access, stored, draft.refused(refusal), error=error, status=422)
    messages.success(request, _("The rules are saved, and apply from the next call on."))
    return HttpResponseRedirect(reverse("scope", args=[access.agent.slug]))


def _shown(
    request: HttpRequest, access: Access, stored: Scope, draft: Draft, *, error: str = "", status: int = 200
) -> HttpResponse:
    page = ScopePage(
        default=draft.default,
        seen=draft.seen,
        rows=_rows(draft),
        changed=digest_of(draft.scope()) != digest_of(stored),
        full=len(draft.rules) >= MAX_RULES,
        check=check(access, request.GET, stored),
        error=error,
    )
    context = {"access": access, "page": page, "chat_types": CHAT_TYPES, "templates": _templates()}
    return answer(request, "scope/page.html", context, status=status)


def _rows(draft: Draft) -> tuple[Row, ...]:
    never = {found.index: found for found in never_decides(draft.scope())}
    last = len(draft.rules) - 1
    return tuple(
        Row(
            number=place + 1,
            place=place,
            rule=rule,
            never=_why(never.get(place)),
            harmless=place in never and never[place].harmless,
            first=place == 0,
            last=place == last,
            focus=_focus(draft, last) if place == draft.moved else "",
        )
        for place, rule in enumerate(draft.rules)
    )


def _focus(draft: Draft, last: int) -> str:
    """The same button again while it can still move the rule, so that it can be pressed many times."""
    stuck = {"up": draft.moved == 0, "down": draft.moved == last}.get(draft.by, True)
    return "action" if stuck else draft.by


def _why(never: NeverDecides | None) -> str:
    return of_never(never) if never else ""


def _templates() -> list[tuple[str, StrOrPromise, StrOrPromise]]:
    return [(name, title, text) for name, (title, text) in TEMPLATES.items()]
