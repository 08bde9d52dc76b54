"""What can be said of a new key, and of the time in which an old secret still works."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any, Literal, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.access.secrets import RIGHTS as KNOWN_RIGHTS
from agents.access.secrets import Right
from agents.models import Agent
from memory_appliance.web.days import DayField
from memory_appliance.web.people.keys import RIGHTS

MOST_AGENTS = 500
"""Agents that the form lists; the API takes any."""


class NewKeyForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        help_text=_("What will use it, for example “telegram gateway”. The audit log shows it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    rights = forms.MultipleChoiceField(
        label=_("Rights"),
        choices=[(right, RIGHTS[right]) for right in KNOWN_RIGHTS],
        initial=["read", "write"],
        widget=forms.CheckboxSelectMultiple,
    )
    reach = forms.ChoiceField(
        label=_("Valid for"),
        choices=[("some", _("only these agents")), ("all", _("all agents, including future ones"))],
        initial="some",
        widget=forms.RadioSelect,
    )
    agents = forms.MultipleChoiceField(
        label=_("Agents"), required=False, choices=(), widget=forms.CheckboxSelectMultiple
    )
    trusted = forms.BooleanField(
        label=_("Trusted"),
        required=False,
        help_text=_(
            "May search without naming a chat, as you would. Leave it off for gateways that serve other people."
        ),
    )
    last_day = DayField(
        label=_("Expires on"),
        required=False,
        help_text=_("The key works until the end of this day (UTC). Empty: no expiry."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        slugs = Agent.objects.values_list("slug", flat=True)[:MOST_AGENTS]
        cast(forms.MultipleChoiceField, self.fields["agents"]).choices = [(slug, slug) for slug in slugs]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if given.get("reach") == "some" and not given.get("agents") and "agents" not in self.errors:
            self.add_error("agents", _("Choose one or more agents, or all."))
        return given

    def values(self) -> dict[str, Any]:
        """As `create_key` takes them."""
        given = self.cleaned_data
        agents: list[str] | Literal["*"] = "*" if given["reach"] == "all" else given["agents"]
        day = given["last_day"]
        ends = datetime.combine(day, time.min, UTC) + timedelta(days=1) if day else None
        return {
            "name": given["name"],
            "agents": agents,
            "rights": cast(list[Right], given["rights"]),
            "trusted": given["trusted"],
            "expires_at": ends,
        }


class RotationForm(forms.Form):
    overlap = forms.TypedChoiceField(
        label=_("Keep the old secret for"),
        coerce=int,
        choices=[
            (0, _("no longer: it stops at once")),
            (3600, _("an hour")),
            (86_400, _("a day")),
            (7 * 86_400, _("a week")),
            (30 * 86_400, _("30 days")),
        ],
        initial=86_400,
        help_text=_("Time to replace the secret in your programs without an outage."),
    )
