"""The doctor's findings, and the button that asks for new ones."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from agents.admin import actor_of
from agents.core.actors import Actor
from agents.core.audit import record
from memory_appliance.chores import Chore, ChoreState, Report
from memory_appliance.doctor import Finding, run_doctor, worst
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from memory_appliance.doctor import Level

DOCTOR = Chore("doctor")

LEVELS: dict[Level, tuple[StrOrPromise, str]] = {
    "problem": (gettext_lazy("problem"), "bad"),
    "warning": (gettext_lazy("warning"), "warn"),
    "ok": (gettext_lazy("OK"), "good"),
    "skipped": (gettext_lazy("skipped"), ""),
}


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def doctor(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        quick = request.POST.get("how") == "quick"
        actor = actor_of(request)
        if DOCTOR.start(lambda report: look(report, actor, quick=quick)) is None:
            messages.info(request, _("The check is already running."))
        return redirect("doctor")
    state = DOCTOR.state()
    findings = findings_of(state)
    context = {
        "state": state,
        "findings": [(finding, *LEVELS[finding.level]) for finding in findings],
        "worst": worst(findings),
    }
    return answer(request, "system/doctor.html", context)


def look(report: Report, actor: Actor, *, quick: bool) -> None:
    """Every check in turn, each finding told as soon as it is there; the log says who asked, and what came of it."""
    found: list[Finding] = []
    with closing(run_doctor(quick=quick, starting=report.doing)) as visit:
        for finding in visit:
            report.line(asdict(finding))
            found.append(finding)
    record(actor=actor, action="doctor.run", detail={"quick": quick, "level": worst(found)})


def findings_of(state: ChoreState | None) -> list[Finding]:
    """The worst first, else in the order in which they came."""
    found = [Finding(**line) for line in state.lines] if state is not None else []
    order = list(LEVELS)
    return sorted(found, key=lambda finding: order.index(finding.level))
