"""The page: the rules as a form that keeps nothing until it is saved, with what is wrong beside each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents.access.scope import Scope, opens_further
from agents.access.scope_never import NeverDecides, never_decides
from agents.core.errors import Invalid
from agents.indexes.specs import scope_of
from agents.registry.scope_rules import MAX_RULES, cleaned, set_scope
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.page import answer
from memory_appliance.web.scope.check import Check, check, recent_chats
from memory_appliance.web.scope.draft import Draft, DraftRule, digest_of, draft_of, read_draft
from memory_appliance.web.scope.words import CHAT_TYPES, TEMPLATES, of_never
from memory_appliance.web.told import refusal as told_refusal

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
    unfinished: bool = False
    """Saving was refused because it has no condition."""
    focus: str = ""
    """Which of its controls has the focus after a button: `up`, `down` or `action`."""


@dataclass(frozen=True, slots=True)
class ScopePage:
    default: str
    seen: str
    rows: tuple[Row, ...]
    changed: bool
    full: bool
    opens: bool
    """It would open the memory to every chat: saving asks for a tick."""
    check: Check
    recent: list[tuple[str, str]]
    error: str = ""


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def scope_rules(request: HttpRequest, access: Access) -> HttpResponse:
    stored = scope_of(access.agent)
    if request.method != "POST":
        return _shown(request, access, stored, draft_of(stored))
    draft, command = read_draft(request.POST), request.POST.get("do", "")
    if command == "check":
        return _checked(request, access, stored, draft)
    if command != "save":
        return _shown(request, access, stored, draft.after(command))
    if draft.seen != digest_of(stored):
        error = _("Someone else changed the rules meanwhile. Yours are below; save again to replace theirs.")
        fresh = Draft(draft.default, draft.rules, digest_of(stored))
        return _shown(request, access, stored, fresh, error=error, status=409)
    if draft.unfinished(stored):
        error = _("A rule has no condition yet. Nothing was saved.")
        return _shown(request, access, stored, draft, error=error, status=422, refused=True)
    try:
        set_scope(
            actor=access.actor,
            agent=access.agent,
            scope=draft.scope(),
            confirm_open=request.POST.get("confirm_open") == "yes",
        )
    except Invalid as refusal:
        return _shown(request, access, stored, draft.refused(refusal), error=_sentence(refusal), status=422)
    messages.success(request, _("Rules saved. They apply from the next call on."))
    return HttpResponseRedirect(reverse("scope", args=[access.agent.slug]))


def _checked(request: HttpRequest, access: Access, stored: Scope, draft: Draft) -> HttpResponse:
    """The rules on the screen decide, saved or not."""
    try:
        asked = check(request.POST, cleaned(draft.scope()))
    except Invalid as refusal:
        return _shown(request, access, stored, draft.refused(refusal), error=_sentence(refusal), status=422)
    return _shown(request, access, stored, draft, asked=asked)


def _shown(
    request: HttpRequest,
    access: Access,
    stored: Scope,
    draft: Draft,
    *,
    asked: Check | None = None,
    error: str = "",
    status: int = 200,
    refused: bool = False,
) -> HttpResponse:
    page = ScopePage(
        default=draft.default,
        seen=draft.seen,
        rows=_rows(draft, draft.unfinished(stored) if refused else frozenset()),
        changed=digest_of(draft.scope()) != digest_of(stored),
        full=len(draft.rules) >= MAX_RULES,
        opens=opens_further(draft.scope(), stored),
        check=asked or Check(),
        recent=recent_chats(access.agent),
        error=error,
    )
    context = {"access": access, "page": page, "chat_types": CHAT_TYPES, "templates": _templates()}
    return answer(request, "scope/page.html", context, status=status)


def _sentence(refusal: Invalid) -> str:
    if refusal.field == "confirm_open":
        return _("Nothing was saved: confirm below that every chat may recall this memory.")
    return told_refusal(refusal)


def _rows(draft: Draft, unfinished: frozenset[int]) -> tuple[Row, ...]:
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
            unfinished=place in unfinished,
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
