"""Jobs of one agent: the list with progress, and the wish for an update, a rebuild or an end."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from agents.columns.public_ids import unveiled, veiled
from agents.core.errors import Conflict
from agents.jobs.cancel import cancel_run
from agents.models import Run
from agents.registry import selectors
from agents.registry.agents import request_rebuild, request_update
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.agent.job_words import STATES, Job, job_of
from memory_appliance.web.page import answer
from workers.dispatch import dispatch

PER_PAGE = 50
FAST_SECONDS, SLOW_SECONDS = 2, 15
MAX_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class JobList:
    """Newest first; `older` is the place to go on from."""

    jobs: tuple[Job, ...]
    state: str
    before: int | None
    older: int | None

    @property
    def poll_seconds(self) -> int:
        return FAST_SECONDS if any(job.run.state in Run.ACTIVE for job in self.jobs) else SLOW_SECONDS


@agent_page("view")
@require_safe
def jobs(request: HttpRequest, access: Access) -> HttpResponse:
    state = request.GET.get("state", "")
    state = state if state in STATES else ""
    before = _number(request.GET.get("before", ""))
    runs = selectors.list_runs(agent=access.agent.slug, state=state or None)
    found = list((runs.filter(pk__lt=unveiled("run", before)) if before else runs)[: PER_PAGE + 1])
    page = JobList(
        jobs=tuple(map(job_of, found[:PER_PAGE])),
        state=state,
        before=before,
        older=veiled("run", found[PER_PAGE - 1].pk) if len(found) > PER_PAGE else None,
    )
    states = [(value, words) for value, (words, _tag) in STATES.items()]
    context = {"access": access, "page": page, "states": states}
    return answer(request, "agent/jobs.html", context)


@agent_page("edit")
@require_http_methods(["GET", "HEAD", "POST"])
def update(request: HttpRequest, access: Access) -> HttpResponse:
    """Look at every file now. Whoever only opens the address is led to the page with the button."""
    if request.method == "POST":
        _told(request, request_update(actor=access.actor, agent=access.agent))
    return HttpResponseRedirect(reverse("agent", args=[access.agent.slug]))


@agent_page("edit")
@require_http_methods(["GET", "HEAD", "POST"])
def rebuild(request: HttpRequest, access: Access) -> HttpResponse:
    slug = access.agent.slug
    if request.method == "POST" and request.POST.get("confirmed") == "yes":
        _told(request, request_rebuild(actor=access.actor, agent=access.agent))
        return HttpResponseRedirect(reverse("agent", args=[slug]))
    context = {
        "heading": _("Rebuild the index of %(slug)s?") % {"slug": slug},
        "will": [
            _("Every file is read again and every chunk gets a new vector. This takes minutes to hours."),
            _("The new index replaces the old one when it is ready."),
        ],
        "will_not": [
            _("No file is changed."),
            _("Search keeps working with the old index until then."),
        ],
        "action": _("Rebuild index"),
        "back": reverse("agent", args=[slug]),
    }
    return answer(request, "confirm.html", context)


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, access: Access) -> HttpResponse:
    """The job is named by ?run=; one of another agent is as if it was not there."""
    slug, back = access.agent.slug, reverse("agent-jobs", args=[access.agent.slug])
    if "run" not in request.GET and "run" not in request.POST:
        return HttpResponseRedirect(back)
    number = _number(request.POST.get("run") or request.GET.get("run", ""))
    run = selectors.list_runs(agent=slug).filter(number=number).first() if number else None
    if run is None:
        raise Http404
    if request.method == "POST" and request.POST.get("confirmed") == "yes":
        try:
            cancel_run(actor=access.actor, run=run)
            messages.success(request, _("The job stops after its current step."))
        except Conflict:
            messages.info(request, _("The job had already finished."))
        return HttpResponseRedirect(back)
    context = {
        "heading": _("Stop this job?"),
        "will": [
            _("The job “%(kind)s” stops after its current step.") % {"kind": job_of(run).kind},
            _("The next scheduled update continues with the rest."),
        ],
        "will_not": [_("What is done so far is kept."), _("No file is changed. Search keeps working.")],
        "action": _("Stop job"),
        "back": back,
        "fields": {"run": run.number},
    }
    return answer(request, "confirm.html", context)


def _told(request: HttpRequest, run: Run) -> None:
    if dispatch(run):
        messages.success(request, _("Job started."))
    else:
        messages.warning(request, _("The message broker doesn't respond. The job starts when it is back."))


def _number(text: str) -> int | None:
    """A row's id; None for everything that cannot be one."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    return number if 0 < number <= MAX_ID else None
