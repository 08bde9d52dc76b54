"""Forgetting a file: what goes and what stays is said first, by the rule that then does it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from agents.upkeep.forget import Forgotten, forget
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.diff import visible
from memory_appliance.web.files.places import reader_address
from memory_appliance.web.page import answer
from memory_appliance.web.told import told
from search.sentences import in_turn


@agent_page("edit")
@require_http_methods(["GET", "HEAD", "POST"])
def forget_file(request: HttpRequest, access: Access) -> HttpResponse:
    path = request.POST.get("path", "") or request.GET.get("path", "")
    sure = request.method == "POST" and request.POST.get("confirmed") == "yes"
    done = forget(agent=access.agent, actor=access.actor, path=path, dry_run=not sure)
    if sure:
        messages.success(request, gettext("%(path)s forgotten.") % {"path": visible(path)})
        return redirect("files", access.agent.slug)
    context = {
        "access": access,
        "heading": gettext("Forget %(path)s?") % {"path": visible(path)},
        "will": _will(done),
        "will_not": [
            gettext("What stays: %(what)s") % {"what": told(in_turn(stays.what, stays.hint))} for stays in done.stays
        ],
        "action": gettext("Forget for good"),
        "back": reader_address(access.agent.slug, path),
        "fields": {"path": path},
    }
    return answer(request, "confirm.html", context)


def _will(plan: Forgotten) -> list[str]:
    removed = plan.removed
    lines = sum(text.end_line - text.start_line + 1 for text in removed.texts)
    file = ngettext(
        "The file is deleted, with its %(count)s line.", "The file is deleted, with its %(count)s lines.", lines
    )
    passages = ngettext(
        "%(count)s passage is removed from the index.",
        "%(count)s passages are removed from the index.",
        removed.index_rows,
    )
    versions = ngettext(
        "%(count)s version is deleted and can't be restored.",
        "%(count)s versions are deleted and can't be restored.",
        removed.versions,
    )
    counted = ((file, lines), (passages, removed.index_rows), (versions, removed.versions))
    sentences = [sentence % {"count": f"{count:,}"} for sentence, count in counted if count]
    return sentences or [gettext("Nothing of it was left here. The request to forget it is recorded.")]
