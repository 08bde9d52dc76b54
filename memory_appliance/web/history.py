"""The versions of an agent's files: who may see the agent looks at them and compares, who may edit it restores one."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views import View

from agents import history
from agents.actors import Caller
from agents.admin import actor_of
from agents.history import OUTSIDE, Version
from agents.memory import Denied
from agents.models import Agent
from agents.roles import agents_for, may_with
from memory_appliance.web.diff import Changes, line_changes, visible

MOST_FILES = 200
MOST_VERSIONS = 100

_DOORS = {"key": "API or MCP", "user": "web", "cli": "command line", "system": "the server"}
_ACTIONS = {
    "append": "added to it",
    "create": "made it",
    "edit": "changed it",
    "restore": "restored a version",
    "reset": "ended a chat",
    "import": "imported it",
    "forget": "forgot something",
    "consolidate": "consolidated it",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One version as the page shows it."""

    version: Version
    who: str
    door: str
    what: str


class FileHistory(LoginRequiredMixin, View):
    """Without `path` the files that have versions; with it their list; with `version` what restoring would change."""

    http_method_names = ["get", "head", "post"]  # noqa: RUF012

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        agent = _agent(request, slug)
        path = request.GET.get("path", "")
        if not path:
            files = history.changed_files(agent, limit=MOST_FILES + 1)
            shown = [(visible(file.path), file) for file in files[:MOST_FILES]]
            context = {"agent": agent, "files": shown, "more": len(files) > MOST_FILES}
            return render(request, "history_files.html", context)
        caller = Caller(actor_of(request), trusted=True)
        found = history.versions(agent=agent, caller=caller, path=path, limit=MOST_VERSIONS + 1)
        if isinstance(found, Denied):
            raise PermissionDenied
        rows = [_row(version) for version in found[:MOST_VERSIONS]]
        context = {
            "agent": agent,
            "path": path,
            "shown_path": visible(path),
            "rows": rows,
            "more": len(found) > MOST_VERSIONS,
            "may_restore": may_with(request.user, agent, "edit"),
            "restored": "restored" in request.GET and bool(found) and found[0].action == "restore",
        }
        version = request.GET.get("version", "")
        if not version:
            return render(request, "history.html", context)
        context |= {
            "chosen": version,
            "row": next((row for row in rows if row.version.version == version), None),
            "changes": _changes(agent, caller, path, version),
        }
        return render(request, "history_compare.html", context)

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        agent = _agent(request, slug)
        if not may_with(request.user, agent, "edit"):
            raise PermissionDenied
        path = request.POST.get("path", "")
        history.restore(agent=agent, actor=actor_of(request), path=path, version=request.POST.get("version", ""))
        return redirect(f"{reverse('history', args=[slug])}?{urlencode({'path': path, 'restored': 1})}")


def _agent(request: HttpRequest, slug: str) -> Agent:
    """Whoever may not see an agent is not told that there is one."""
    agent = Agent.objects.filter(agents_for(request.user), slug=slug).first()
    if agent is None:
        raise Http404
    return agent


def _changes(agent: Agent, caller: Caller, path: str, version: str) -> Changes:
    now = history.read_file(agent=agent, caller=caller, path=path)
    then = history.version_text(agent=agent, caller=caller, path=path, version=version)
    if isinstance(now, Denied) or isinstance(then, Denied):
        raise PermissionDenied
    return line_changes(now.text, then)


def _row(version: Version) -> Row:
    if version.actor == OUTSIDE:
        return Row(version, "somebody", "an editor, on the disk", "changed it")
    door = _DOORS.get(version.actor.partition(":")[0], "")
    return Row(version, visible(version.actor), door, _ACTIONS.get(version.action, version.action))
