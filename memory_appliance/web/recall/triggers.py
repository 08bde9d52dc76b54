"""The trigger phrases of an agent's curated files, each with the note it calls up and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.memory.triggers import list_triggers
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.page import answer
from memory_appliance.web.recall.steps import SourceLink, source_link, source_links
from memory_appliance.web.recall.words import FLAWS
from search.errors import IndexUnavailable
from search.recall.trigger_report import Trigger

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ROWS = 100
LONGEST_ENTRY = 300


class TriggerForm(forms.Form):
    q = forms.CharField(label=_("Phrase or note contains"), required=False, max_length=200)
    flawed = forms.BooleanField(label=_("only with problems"), required=False)
    page = forms.IntegerField(required=False, min_value=1, max_value=100_000)


@dataclass(frozen=True, slots=True)
class TriggerRow:
    trigger: Trigger
    entry: str
    source: SourceLink
    flaws: tuple[StrOrPromise, ...]
    also: tuple[SourceLink, ...]


@dataclass(frozen=True, slots=True)
class TriggersPage:
    rows: tuple[TriggerRow, ...] = ()
    total: int = 0
    page: int = 1
    problem: str = ""
    """Why there is nothing to list."""

    @property
    def earlier(self) -> int | None:
        return self.page - 1 if self.page > 1 else None

    @property
    def further(self) -> int | None:
        return self.page + 1 if self.page * ROWS < self.total else None


@agent_page("view")
@require_safe
def triggers(request: HttpRequest, access: Access) -> HttpResponse:
    form = TriggerForm(request.GET)
    shown = _page(access, form) if form.is_valid() else TriggersPage()
    return answer(request, "recall/triggers.html", {"access": access, "form": form, "page": shown})


def _page(access: Access, form: TriggerForm) -> TriggersPage:
    values = form.cleaned_data
    try:
        found = list_triggers(access.agent, containing=values["q"], flawed=values["flawed"])
    except IndexUnavailable as error:
        return TriggersPage(problem=error.advice())
    number = values["page"] or 1
    rows = found[(number - 1) * ROWS : number * ROWS]
    return TriggersPage(tuple(_row(access, trigger) for trigger in rows), len(found), number)


def _row(access: Access, trigger: Trigger) -> TriggerRow:
    text = trigger.entry.text
    return TriggerRow(
        trigger=trigger,
        entry=text if len(text) <= LONGEST_ENTRY else f"{text[:LONGEST_ENTRY]} …",
        source=source_link(access.agent, trigger.entry.source),
        flaws=tuple(FLAWS[flaw] for flaw in trigger.flaws),
        also=source_links(access.agent, trigger.also[:5]),
    )
