"""One page with every component in every state: what a change of the style sheet may break is seen here first."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.models import Run
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer

_STATES = (
    ("empty", _("Nothing here yet"), _("The next step is below."), _("Add one")),
    ("loading", _("Loading …"), _("The first results come in a moment."), ""),
    ("stale", _("Out of date"), _("Files changed three minutes ago. An update is running."), ""),
    (
        "degraded",
        _("Degraded"),
        _("The models aren't available: search uses words only."),
        _("See the system"),
    ),
    ("denied", _("Not for this chat"), _("Rule 2 “no groups” denies it."), _("See the rules")),
    ("error", _("It did not work"), _("The index cannot be read."), _("Build it again")),
)


@owner_page
@require_safe
def gallery(request: HttpRequest) -> HttpResponse:
    runs = [
        Run(kind="update", state="queued"),
        Run(kind="embed", state="running", done=410, total=1200, unit="chunks"),
        Run(kind="rebuild", state="failed", error=str(_("The disk is full."))),
        Run(kind="update", state="done"),
    ]
    return answer(request, "gallery.html", {"states": _STATES, "runs": runs, "shares": (0.0, 0.35, 1.0)})
