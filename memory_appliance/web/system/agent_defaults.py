"""The defaults page: what every agent has that does not say otherwise."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from agents.admin import actor_of
from agents.core.agent_settings import OF_ONE_AGENT, AgentSettings, SettingRow, default_settings, settings_table
from agents.core.errors import Invalid
from agents.models import Agent
from agents.registry.default_settings import set_default_settings
from agents.registry.effective import in_effect
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer
from memory_appliance.web.setting_fields import FieldGroup, changes_in, field_groups, refused


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def agent_defaults(request: HttpRequest) -> HttpResponse:
    """GET ?q= looks for settings; a POST of one group's form changes that group."""
    wanted = request.GET.get("q", "").strip()[:100]
    if request.method != "POST":
        return _shown(request, _groups(wanted=wanted, opened=request.GET.get("group", "")), wanted=wanted)
    try:
        set_default_settings(actor=actor_of(request), settings=changes_in(request.POST, _rows()))
    except Invalid as error:
        return _shown(request, refused(_groups(), request.POST, error), status=422)
    messages.success(request, _("Defaults saved."))
    return _back(request.POST.get("group", ""))


@owner_page
@require_POST
def reset(request: HttpRequest) -> HttpResponse:
    """One default goes back to the built-in value."""
    name = request.POST.get("setting", "")
    if name in AgentSettings.model_fields.keys() - OF_ONE_AGENT:
        set_default_settings(actor=actor_of(request), settings={name: None})
        messages.success(request, _("%(setting)s is back to its default.") % {"setting": name})
    return _back(request.POST.get("group", ""))


def _rows() -> list[SettingRow]:
    """Over nothing: the defaults are the row here, and their own defaults are the built-in values."""
    return [row for row in settings_table(default_settings(), {}) if row.name not in OF_ONE_AGENT]


def _groups(*, wanted: str = "", opened: str = "") -> tuple[FieldGroup, ...]:
    return field_groups(_rows(), here="agent", effects=in_effect(Agent()), wanted=wanted, opened=opened)


def _shown(
    request: HttpRequest, groups: tuple[FieldGroup, ...], *, wanted: str = "", status: int = 200
) -> HttpResponse:
    return answer(request, "system/agent_defaults.html", {"groups": groups, "wanted": wanted}, status=status)


def _back(group: str) -> HttpResponseRedirect:
    address = reverse("agent-defaults")
    known = group.isascii() and group.isalpha()
    return HttpResponseRedirect(f"{address}?group={group}#group-{group}" if known else address)
