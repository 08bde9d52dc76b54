"""Deleting a chat: what goes and what stays is said first, by the rule that then does it."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from agents.upkeep.forget import Forgotten, forget
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.chats.names import chat_name
from memory_appliance.web.chats.opened import opened
from memory_appliance.web.diff import visible
from memory_appliance.web.page import answer
from memory_appliance.web.told import told
from search.sentences import in_turn


@agent_page("edit")
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, access: Access) -> HttpResponse:
    key = opened(request, access).session_key
    title = chat_name(key).title
    sure = request.method == "POST" and request.POST.get("confirmed") == "yes"
    done = forget(agent=access.agent, actor=access.actor, session_key=key, dry_run=not sure)
    if sure:
        messages.success(request, gettext("Chat deleted: %(title)s") % {"title": title})
        return redirect("chats", access.agent.slug)
    context = {
        "access": access,
        "heading": gettext("Delete the chat “%(title)s”?") % {"title": title},
        "will": _will(done),
        "will_not": [
            gettext("What stays: %(what)s") % {"what": told(in_turn(stays.what, stays.hint))} for stays in done.stays
        ],
        "action": gettext("Delete for good"),
        "back": f"{reverse('chat', args=[access.agent.slug])}?{urlencode({'session': key})}",
        "fields": {"session": key},
    }
    return answer(request, "confirm.html", context)


def _will(plan: Forgotten) -> list[str]:
    removed = plan.removed
    said = ngettext(
        "%(count)s message is deleted, and can’t be found by search any more.",
        "%(count)s messages are deleted, and can’t be found by search any more.",
        removed.messages,
    ) % {"count": f"{removed.messages:,}"}
    sentences = [said]
    for text in removed.texts:
        path = {"path": visible(text.path), "first": f"{text.start_line:,}", "last": f"{text.end_line:,}"}
        if text.whole:
            sentences.append(gettext("%(path)s, written from this chat, is deleted.") % path)
        else:
            sentences.append(
                gettext("Lines %(first)s to %(last)s of %(path)s, written from this chat, are deleted.") % path
            )
    if removed.versions:
        versions = ngettext(
            "%(count)s version is deleted and can't be restored.",
            "%(count)s versions are deleted and can't be restored.",
            removed.versions,
        )
        sentences.append(versions % {"count": f"{removed.versions:,}"})
    return sentences
