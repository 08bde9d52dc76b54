"""Editing a file: saved only over the version that was read; whoever comes second sees both texts and loses neither."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from agents.core.errors import Conflict, Invalid
from agents.files import documents, history
from agents.memory.reads import Denied
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.diff import Changes, line_changes
from memory_appliance.web.files.places import reader_address
from memory_appliance.web.files.read import opened
from memory_appliance.web.page import answer, failure
from memory_appliance.web.told import refusal


@dataclass(frozen=True, slots=True)
class Editor:
    """`text` is what the field holds, `hash` the version that saving replaces.

    After a conflict `theirs` is what the file holds now, and `changes` what saving `text` would make of it.
    """

    path: str
    text: str
    hash: str
    problem: str = ""
    theirs: str = ""
    changes: Changes | None = None


@agent_page("edit")
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, access: Access) -> HttpResponse:
    path = request.POST.get("path", "") or request.GET.get("path", "")
    if request.method == "POST":
        return _save(request, access, path)
    document = opened(access, path)
    if document.fixed:
        why = render_to_string("files/fixed.html", {"fixed": document.fixed}).strip()
        return failure(request, status=422, message=gettext("This file can't be edited here."), hint=why)
    return _form(request, access, Editor(path, document.text, document.hash))


def _save(request: HttpRequest, access: Access, path: str) -> HttpResponse:
    text = request.POST.get("text", "").replace("\r\n", "\n")
    expected = request.POST.get("hash", "")
    try:
        saved = documents.edit_document(
            agent=access.agent, caller=access.caller, path=path, text=text, expected_hash=expected
        )
    except Conflict as error:
        if error.code == "workspace_busy":
            return _form(request, access, Editor(path, text, expected, refusal(error)), status=409)
        if error.code != "file_changed":
            raise
        return _form(request, access, _both(access, path, text), status=409)
    except Invalid as error:
        return _form(request, access, Editor(path, text, expected, refusal(error)), status=422)
    message = gettext("Saved. The previous version is kept.") if saved.changed else gettext("Nothing was changed.")
    messages.success(request, message)
    return redirect(reader_address(access.agent.slug, path))


def _both(access: Access, path: str, mine: str) -> Editor:
    """The person's text with the present version to replace: saved again, it is saved over that one knowingly.

    A file that has gone meanwhile is made anew by the next save.
    """
    now = history.read_file(agent=access.agent, caller=access.caller, path=path)
    if isinstance(now, Denied):
        raise PermissionDenied
    return Editor(path, mine, now.hash, theirs=now.text, changes=line_changes(now.text, mine))


def _form(request: HttpRequest, access: Access, editor: Editor, *, status: int = 200) -> HttpResponse:
    return answer(request, "files/edit.html", {"access": access, "editor": editor}, status=status)
