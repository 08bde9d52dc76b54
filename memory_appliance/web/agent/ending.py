"""Switching an agent's memory off and on, and deleting it: after it was said what goes and what stays."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents.core.agent_settings import memory_on
from agents.registry.agents import delete_agent, update_agent
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.diff import visible
from memory_appliance.web.page import answer


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def switch(request: HttpRequest, access: Access) -> HttpResponse:
    """Off asks first; on does not."""
    agent = access.agent
    is_on = memory_on(agent.settings)
    back = reverse("agent", args=[agent.slug])
    if request.method == "POST" and (request.POST.get("confirmed") == "yes" or not is_on):
        update_agent(actor=access.actor, agent=agent, settings={"memory_enabled": False if is_on else None})
        messages.success(request, _("Memory turned off.") if is_on else _("Memory turned on."))
        return HttpResponseRedirect(back)
    if not is_on:
        return HttpResponseRedirect(back)
    context = {
        "heading": _("Turn off the memory of %(slug)s?") % {"slug": agent.slug},
        "will": [
            _("Its chats have no memory tools: no search and no recall."),
            _("Its files aren't indexed while it is off."),
        ],
        "will_not": [
            _("No file is deleted or changed. Your Markdown stays in %(folder)s.")
            % {"folder": visible(agent.workspace)},
            _("Index, rules and settings are kept. You can turn it on again at any time."),
        ],
        "action": _("Turn off"),
        "back": reverse("agent-settings", args=[agent.slug]),
    }
    return answer(request, "confirm.html", context)


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, access: Access) -> HttpResponse:
    agent = access.agent
    if request.method == "POST" and request.POST.get("confirmed") == "yes":
        delete_agent(actor=access.actor, agent=agent)
        messages.success(request, _("Agent %(slug)s deleted. Its files are still there.") % {"slug": agent.slug})
        return HttpResponseRedirect(reverse("overview"))
    context = {
        "heading": _("Delete agent %(slug)s?") % {"slug": agent.slug},
        "will": [
            _("Its index, settings, rules, collections, jobs and recall log are deleted."),
            _("Its API keys stop working for it, and people lose their role here."),
            _("Earlier versions of its files can no longer be viewed or restored here."),
            _("Other agents can no longer search what it shares."),
        ],
        "will_not": [
            _("No file is deleted. Your Markdown stays in %(folder)s.") % {"folder": visible(agent.workspace)},
            _("Its stored conversations stay in the data folder."),
            _("A new agent with this folder finds everything again."),
        ],
        "action": _("Delete agent"),
        "back": reverse("agent-settings", args=[agent.slug]),
    }
    return answer(request, "confirm.html", context)
