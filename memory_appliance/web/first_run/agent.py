"""/start/agent: a name and a folder make the first agent, after a look at what the folder holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents.admin import actor_of
from agents.core.errors import Invalid, RuleError
from agents.core.paths import allowed_roots
from agents.models import Run
from agents.registry.first_agent import Use, add_agent, looks_like_a_workspace, preview_folder, suggested_folders
from agents.registry.preview import Preview
from memory_appliance.web.access import owner_page
from memory_appliance.web.agent.passed_over import passed_over_in_words
from memory_appliance.web.first_run.steps import first_agent, steps, with_agent
from memory_appliance.web.page import answer
from memory_appliance.web.timezones import zone_options
from memory_appliance.web.told import refusal
from workers.dispatch import dispatch


@dataclass(frozen=True, slots=True)
class AgentForm:
    name: str = ""
    folder: str = ""
    use: Use = "read"
    timezone: str = "UTC"
    errors: dict[str, str] = field(default_factory=dict)

    def refused(self, error: RuleError) -> AgentForm:
        """The refusal beside the field that it is about: agents and collections name the folder in their own way."""
        name = {"workspace": "folder", "path": "folder", "slug": "name"}.get(error.field, error.field)
        return replace(self, errors={name or "name": refusal(error)})


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def agent(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _shown(request, AgentForm())
    form = _read(request)
    if request.POST.get("do") == "preview":
        return _shown(request, form)
    if not form.name:
        return _shown(request, replace(form, errors={"name": _("Enter a name.")}), status=422)
    try:
        made = add_agent(
            actor=actor_of(request), name=form.name, folder=form.folder, use=form.use, timezone=form.timezone
        )
    except RuleError as error:
        return _shown(request, form.refused(error), status=422)
    dispatch(Run.objects.get(agent=made, state__in=Run.ACTIVE))
    return HttpResponseRedirect(with_agent("start-index", made))


def _read(request: HttpRequest) -> AgentForm:
    return AgentForm(
        name=request.POST.get("name", "").strip(),
        folder=request.POST.get("folder", "").strip(),
        use="own" if request.POST.get("use") == "own" else "read",
        timezone=request.POST.get("timezone", "").strip() or "UTC",
    )


def _shown(request: HttpRequest, form: AgentForm, *, status: int = 200) -> HttpResponse:
    found: Preview | None = None
    if form.folder and "folder" not in form.errors:
        try:
            found = preview_folder(form.folder, form.use)
        except Invalid as error:
            form = form.refused(error)
    before = first_agent()
    context = {
        "form": form,
        "another": before is not None,
        "preview": found,
        "passed_over": passed_over_in_words(found.passed_over) if found else [],
        "lived_in": found is not None and form.use == "read" and looks_like_a_workspace(found.folder),
        "roots": [str(root) for root in allowed_roots()],
        "suggested": suggested_folders(),
        "timezones": zone_options(),
        "steps": steps("agent", before),
    }
    return answer(request, "first_run/agent.html", context, status=status)
