"""Consolidation as a page: what would be promoted to MEMORY.md and why, and the same done on a person's word."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from agents.core.agent_settings import read_settings
from agents.upkeep import consolidation
from agents.upkeep.consolidation import Consolidated
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.diff import LONGEST_LINE, MOST_SHOWN, Change, Changes, Kind, visible
from memory_appliance.web.files.places import citation, reader_address
from memory_appliance.web.page import answer


@agent_page("view")
@require_http_methods(["GET", "HEAD", "POST"])
def consolidate(request: HttpRequest, access: Access) -> HttpResponse:
    """GET changes nothing. Applied is what the rules come to then, which is what was shown unless notes changed."""
    apply = request.method == "POST"
    if apply and not access.may_edit:
        raise PermissionDenied
    done = consolidation.consolidate(agent=access.agent, actor=access.actor, dry_run=not apply)
    if apply and done.status == "promoted":
        _tell(request, done)
        return redirect(reader_address(access.agent.slug, "MEMORY.md"))
    entries = [(entry, _address(access, entry.anchor)) for entry in done.promoted]
    context = {
        "access": access,
        "plan": done,
        "entries": entries,
        "changes": _changes(done.diff),
        "consolidates": read_settings(access.agent).consolidate_enabled,
    }
    return answer(request, "memory_health/consolidate.html", context, status=409 if apply else 200)


def _tell(request: HttpRequest, done: Consolidated) -> None:
    count = len(done.promoted)
    text = ngettext(
        "%(count)s entry promoted. The previous version is kept and can be restored.",
        "%(count)s entries promoted. The previous version is kept and can be restored.",
        count,
    )
    messages.success(request, text % {"count": count})


def _changes(diff: str) -> Changes:
    """A unified difference, without its head, as the pages show one."""
    kinds: dict[str, Kind] = {"+": "added", "-": "removed", "@": "gap"}
    lines = [
        Change(kinds.get(line[:1], "same"), "…" if line.startswith("@@") else visible(line[1:LONGEST_LINE]))
        for line in diff.split("\n")[2:]
        if line
    ]
    return Changes(tuple(lines[:MOST_SHOWN]))


def _address(access: Access, anchor: str) -> str:
    place = citation(anchor)
    return reader_address(access.agent.slug, place.path, place.lines) if place else ""
