"""A message tried on the lanes: every gate's verdict, the intent with its evidence, and what would be prepended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from agents.core.agent_settings import read_settings
from agents.memory.recall import MAX_MESSAGE_CHARS, Recalled, RecallParams, recall
from memory_appliance.admission.requests import ARRIVED
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.as_chat import ChatFields
from memory_appliance.web.page import answer
from memory_appliance.web.recall.gates import GateRow, gates_of_trial
from memory_appliance.web.recall.intent import IntentView, intent_view
from memory_appliance.web.recall.steps import SourceLink, StepRow, source_links, step_rows
from memory_appliance.web.recall.words import LANES, REASONS
from memory_appliance.web.scope.words import CHAT_TYPES
from memory_appliance.web.words import OUTCOMES, degradation
from search.recall.choices import RecallMode

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MOST_MS = 8_000
"""A page is no reason to keep a thread of the server for as long as an agent's turn may take."""


class TrialForm(ChatFields):
    message = forms.CharField(
        label=_("Message"),
        max_length=MAX_MESSAGE_CHARS,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto", "data-search": True}),
    )
    mode = forms.ChoiceField(
        label=_("Recall mode"),
        required=False,
        choices=[
            ("", _("agent's setting")),
            ("escalate", _("when the message asks")),
            ("always", _("on every message")),
            ("off", _("trigger phrases only")),
        ],
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of the message."""

    outcome: StrOrPromise
    reason: StrOrPromise
    found: bool
    lane: StrOrPromise
    chat: StrOrPromise
    rule: int | None
    """The scope rule that decided, counted from 1."""
    gates: tuple[GateRow, ...]
    intent: IntentView | None
    summary: str
    context: str
    sources: tuple[SourceLink, ...]
    steps: tuple[StepRow, ...]
    degraded: tuple[StrOrPromise, ...]
    elapsed_ms: float
    cached: bool


@agent_page("view")
@require_http_methods(["GET", "HEAD", "POST"])
def trial(request: HttpRequest, access: Access) -> HttpResponse:
    """A GET shows the form; the message travels in the body of a POST, not in an address that logs would keep."""
    form = TrialForm(request.POST if request.method == "POST" else None)
    tried = _tried(request, access, form) if form.is_bound and form.is_valid() else None
    narrowed = [form[name] for name in ("session", "chat_type", "mode")]
    context = {"access": access, "form": form, "narrowed": narrowed, "trial": tried}
    return answer(request, "recall/trial.html", context)


def _tried(request: HttpRequest, access: Access, form: TrialForm) -> Trial:
    values, chat = form.cleaned_data, form.chat()
    own = read_settings(access.agent)
    recalled = recall(
        agent=access.agent,
        caller=chat.caller(access.actor),
        session=chat.session,
        params=RecallParams(
            message=values["message"],
            mode=cast(RecallMode, values["mode"]) or None,
            timeout_ms=min(own.recall_timeout_ms, MOST_MS),
        ),
        arrived=request.META.get(ARRIVED),
        recorded=False,
    )
    return _shown(access, recalled, values["message"])


def _shown(access: Access, recalled: Recalled, message: str) -> Trial:
    outcome, decision = recalled.outcome, recalled.decision
    return Trial(
        outcome=OUTCOMES[outcome.status],
        reason=REASONS[outcome.reason],
        found=bool(outcome.context),
        lane=LANES.get(outcome.lane or "", ""),
        chat=CHAT_TYPES[decision.derived.chat_type],
        rule=None if decision.rule is None else decision.rule + 1,
        gates=gates_of_trial(outcome),
        intent=intent_view(outcome.intent, message) if outcome.intent else None,
        summary=outcome.summary,
        context=outcome.context,
        sources=source_links(access.agent, outcome.sources),
        steps=step_rows(outcome.steps, recalled.elapsed_ms),
        degraded=tuple(degradation(code) for code in outcome.facts.get("degraded", ())),
        elapsed_ms=recalled.elapsed_ms,
        cached=outcome.cached,
    )
