"""The audit log: who did what, when, from where, to what; filtered, and paged by the rows themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.core.paging import as_number
from agents.models import AuditEvent
from agents.registry import selectors
from agents.registry.selectors import AuditFilter
from memory_appliance.web.access import owner_page
from memory_appliance.web.days import DayField
from memory_appliance.web.diff import visible
from memory_appliance.web.page import answer
from memory_appliance.web.people.audit_words import ACTIONS, choices, sentence_of

PAGE = 50


class AuditForm(forms.Form):
    actor = forms.CharField(label=_("Who"), required=False, max_length=200)
    action = forms.ChoiceField(label=_("What happened"), required=False, choices=lambda: [("", _("any")), *choices()])
    agent = forms.RegexField(r"^[a-z0-9-]{1,63}\Z", label=_("Agent"), required=False, max_length=63)
    address = forms.CharField(label=_("Address"), required=False, max_length=64)
    since = DayField(label=_("From"), required=False)
    until = DayField(label=_("To"), required=False)

    def filter(self) -> AuditFilter:
        given = self.cleaned_data
        last = given["until"]
        return AuditFilter(
            agent=given["agent"] or None,
            action=given["action"] or None,
            actor=given["actor"] or None,
            address=given["address"] or None,
            since=_midnight(given["since"]) if given["since"] else None,
            until=_midnight(last) + timedelta(days=1) if last else None,
        )


@dataclass(frozen=True, slots=True)
class AuditPage:
    """`newer` and `older`: the id that the next page in that direction begins beside; None where there is none."""

    events: tuple[AuditEvent, ...]
    newer: int | None
    older: int | None


@dataclass(frozen=True, slots=True)
class AuditLine:
    """`known`: the list can be filtered by its action."""

    event: AuditEvent
    sentence: str
    day: date
    details: tuple[tuple[str, str], ...]
    known: bool


@owner_page
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    form = AuditForm(request.GET)
    page = AuditPage((), None, None)
    if form.is_valid():
        before, after = as_number(request.GET.get("before")), as_number(request.GET.get("after"))
        page = audit_page(form.filter(), before=before, after=after)
    lines = [_line(event) for event in page.events]
    filtered = any(request.GET.get(name) for name in form.fields)
    context = {"form": form, "page": page, "lines": lines, "filtered": filtered}
    return answer(request, "people/audit.html", context, status=422 if form.errors else 200)


def audit_page(wanted: AuditFilter, *, before: int | None = None, after: int | None = None) -> AuditPage:
    """Newest first. One query: a line more than is shown tells whether there are others."""
    events = selectors.list_audit(wanted)
    if after is not None:
        found = list(events.filter(pk__gt=after).order_by("pk")[: PAGE + 1])
        shown = found[:PAGE][::-1]
        newer = len(found) > PAGE
        return AuditPage(tuple(shown), _first(shown) if newer else None, _last(shown) if shown else None)
    found = list((events.filter(pk__lt=before) if before is not None else events)[: PAGE + 1])
    shown = found[:PAGE]
    newer = before is not None
    return AuditPage(tuple(shown), _first(shown) if newer else None, _last(shown) if len(found) > PAGE else None)


def _first(shown: Sequence[AuditEvent]) -> int | None:
    return int(shown[0].pk) if shown else None


def _last(shown: Sequence[AuditEvent]) -> int | None:
    return int(shown[-1].pk) if shown else None


def _line(event: AuditEvent) -> AuditLine:
    day = event.at.astimezone(UTC).date()
    return AuditLine(event, sentence_of(event), day, _details(event), event.action in ACTIONS)


def _details(event: AuditEvent) -> tuple[tuple[str, str], ...]:
    empty: tuple[object, ...] = (None, "", [], {})
    told = ((name, value) for name, value in event.detail.items() if value not in empty)
    return tuple((visible(str(name)), visible(_told(value))) for name, value in told)


def _told(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_told(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(_told(part) for part in value)
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
