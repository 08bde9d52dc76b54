"""The first page: all is well, or what to do; asks for itself again, fast while something runs."""

from __future__ import annotations

from django import forms
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.access.roles import agents_for, is_owner, is_somebody
from agents.models import Agent
from memory_appliance.web.access import person_page
from memory_appliance.web.activity import activity_of, range_of
from memory_appliance.web.overview.context import overview_of
from memory_appliance.web.page import answer
from memory_appliance.web.tabs import TABS


class FleetFilter(forms.Form):
    """Which agents are listed; what cannot be used counts as not given."""

    name = forms.CharField(required=False, max_length=200, strip=True)
    show = forms.ChoiceField(required=False, choices=[("", _("All agents")), ("attention", _("Needs attention"))])
    page = forms.IntegerField(required=False, min_value=1)


@person_page
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Owners see every agent and the server's troubles, members their own agents."""
    owner = is_owner(request.user)
    if not owner and not is_somebody(request.user):
        return answer(request, "account/no_access.html", {}, status=403)
    form = FleetFilter(request.GET)
    form.is_valid()
    wanted = form.cleaned_data
    seen = agents_for(request.user)
    context = overview_of(
        seen,
        owner=owner,
        name=wanted.get("name") or "",
        attention=wanted.get("show") == "attention",
        number=wanted.get("page") or 1,
    )
    own = None if owner else Q(agent__in=Agent.objects.filter(seen))
    values = {
        "overview": context,
        "activity": activity_of(own, range_of(request.GET.get("range", ""))),
        "form": form,
        "first_tab": _first_tab(),
    }
    return answer(request, "overview/page.html", values)


def _first_tab() -> str:
    """The page of an agent that everybody with a role there may open."""
    return next(tab.route for tab in TABS if tab.role == "view")
