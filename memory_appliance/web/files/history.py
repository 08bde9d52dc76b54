"""The versions of an agent's files: who may see the agent looks at them and compares, who may edit it restores one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from agents.files import history as versions
from agents.files.history import Version
from agents.memory.reads import Denied
from agents.workspace.journal import OUTSIDE
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.diff import Changes, line_changes, visible
from memory_appliance.web.page import answer

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MOST_FILES = 200
MOST_VERSIONS = 100

_DOORS: dict[str, StrOrPromise] = {
    "key": _("API or MCP"),
    "user": _("web"),
    "cli": _("command line"),
    "system": _("the server"),
}
_ACTIONS: dict[str, StrOrPromise] = {
    "append": _("added to it"),
    "create": _("created it"),
    "edit": _("changed it"),
    "restore": _("restored a version"),
    "reset": _("ended a chat"),
    "import": _("imported it"),
    "reject": _("rejected a note"),
    "forget": _("forgot something"),
    "consolidate": _("consolidated it"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One version as the page shows it."""

    version: Version
    who: StrOrPromise
    door: StrOrPromise
    what: StrOrPromise


@agent_page("view")
@require_http_methods(["GET", "HEAD", "POST"])
def history(request: HttpRequest, access: Access) -> HttpResponse:
    """Without `path` the files that have versions; with it their list; with `version` what restoring would change."""
    if request.method == "POST":
        return _restore(request, access)
    path = request.GET.get("path", "")
    if not path:
        return _files(request, access)
    found = versions.versions(agent=access.agent, caller=access.caller, path=path, limit=MOST_VERSIONS + 1)
    if isinstance(found, Denied):
        raise PermissionDenied
    rows = [_row(version) for version in found[:MOST_VERSIONS]]
    context = {"access": access, "path": path, "rows": rows, "more": len(found) > MOST_VERSIONS}
    chosen = request.GET.get("version", "")
    if not chosen:
        return answer(request, "files/history.html", context)
    row = next((row for row in rows if row.version.version == chosen), None)
    changes = _changes(access, path, chosen)
    return answer(request, "files/history_compare.html", {**context, "chosen": chosen, "row": row, "changes": changes})


def _files(request: HttpRequest, access: Access) -> HttpResponse:
    found = versions.changed_files(access.agent, limit=MOST_FILES + 1)
    context = {"access": access, "files": found[:MOST_FILES], "more": len(found) > MOST_FILES}
    return answer(request, "files/history_files.html", context)


def _restore(request: HttpRequest, access: Access) -> HttpResponse:
    if not access.may_edit:
        raise PermissionDenied
    path, version = request.POST.get("path", ""), request.POST.get("version", "")
    versions.restore(agent=access.agent, actor=access.actor, path=path, version=version)
    messages.success(request, gettext("Version restored. The previous text is kept as a version below."))
    return redirect(f"{reverse('history', args=[access.agent.slug])}?{urlencode({'path': path})}")


def _changes(access: Access, path: str, version: str) -> Changes:
    now = versions.read_file(agent=access.agent, caller=access.caller, path=path)
    then = versions.version_text(agent=access.agent, caller=access.caller, path=path, version=version)
    if isinstance(now, Denied) or isinstance(then, Denied):
        raise PermissionDenied
    return line_changes(now.text, then)


def _row(version: Version) -> Row:
    if version.actor == OUTSIDE:
        return Row(version, _("someone"), _("an editor, on disk"), _("changed it"))
    door = _DOORS.get(version.actor.partition(":")[0], "")
    return Row(version, visible(version.actor), door, _ACTIONS.get(version.action, version.action))
