"""The settings page: who the agent is, and every setting with its help, its default and what is in effect."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents.access.roles import is_owner
from agents.core.agent_settings import AgentSettings, memory_on, settings_table
from agents.core.errors import Invalid, RuleError
from agents.models import Agent
from agents.registry.agents import update_agent
from agents.registry.effective import in_effect
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.page import answer
from memory_appliance.web.setting_fields import FieldGroup, changes_in, field_groups, refused
from memory_appliance.web.timezones import zone_options
from memory_appliance.web.told import refusal


@dataclass(frozen=True, slots=True)
class About:
    """The agent's name, time zone and folder as the form holds them. `errors`: field → what is wrong."""

    name: str
    timezone: str
    workspace: str
    errors: dict[str, str]


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, access: Access) -> HttpResponse:
    """GET ?q= looks for settings; a POST of one group's form changes that group."""
    wanted = request.GET.get("q", "").strip()[:100]
    if request.method != "POST":
        return _shown(request, access, _groups(access.agent, wanted=wanted, opened=request.GET.get("group", "")))
    changes = changes_in(request.POST, settings_table(access.agent.settings, access.agent.defaults))
    try:
        update_agent(actor=access.actor, agent=access.agent, settings=changes)
    except Invalid as error:
        return _shown(request, access, refused(_groups(access.agent), request.POST, error), status=422)
    messages.success(request, _("Settings saved."))
    return _back(access, request.POST.get("group", ""))


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest, access: Access) -> HttpResponse:
    """One setting goes back to its default."""
    if request.method != "POST":
        return _back(access)
    name = request.POST.get("setting", "")
    if name in AgentSettings.model_fields:
        update_agent(actor=access.actor, agent=access.agent, settings={name: None})
        messages.success(request, _("%(setting)s is back to its default.") % {"setting": name})
    return _back(access, request.POST.get("group", ""))


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def about(request: HttpRequest, access: Access) -> HttpResponse:
    """Name and time zone; the folder for owners alone: it could be another agent's."""
    if request.method != "POST":
        return _back(access)
    agent = access.agent
    given = {name: request.POST.get(name, "").strip() for name in ("name", "timezone", "workspace")}
    moves = is_owner(request.user) and given["workspace"] not in ("", agent.workspace)
    try:
        update_agent(
            actor=access.actor,
            agent=agent,
            name=given["name"],
            timezone=given["timezone"],
            workspace=given["workspace"] if moves else None,
        )
    except RuleError as error:
        wrong = About(**given, errors={error.field: refusal(error)})
        return _shown(request, access, _groups(agent), about=wrong, status=422)
    messages.success(request, _("Saved."))
    return _back(access)


def _shown(
    request: HttpRequest,
    access: Access,
    groups: tuple[FieldGroup, ...],
    *,
    about: About | None = None,
    status: int = 200,
) -> HttpResponse:
    agent = access.agent
    context = {
        "access": access,
        "groups": groups,
        "wanted": request.GET.get("q", ""),
        "about": about or About(agent.name, agent.timezone, agent.workspace, {}),
        "memory_on": memory_on(agent.settings),
        "may_move": is_owner(request.user),
        "timezones": zone_options(),
    }
    return answer(request, "agent/settings.html", context, status=status)


def _groups(agent: Agent, *, wanted: str = "", opened: str = "") -> tuple[FieldGroup, ...]:
    rows = settings_table(agent.settings, agent.defaults)
    return field_groups(rows, here="agent", effects=in_effect(agent), wanted=wanted, opened=opened)


def _back(access: Access, group: str = "") -> HttpResponseRedirect:
    known = group.isascii() and group.isalpha()
    address = reverse("agent-settings", args=[access.agent.slug])
    return HttpResponseRedirect(f"{address}?group={group}#group-{group}" if known else address)
