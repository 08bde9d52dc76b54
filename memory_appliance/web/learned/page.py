"""The page: notes that wait for a decision, by day and chat; many are decided at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from agents.core.errors import RuleError
from agents.files.learned import Learned, keep, learned, reject
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.chats.names import ChatName, chat_name
from memory_appliance.web.chats.opened import may_read
from memory_appliance.web.days import day_of
from memory_appliance.web.files.places import Lines, reader_address
from memory_appliance.web.page import answer
from memory_appliance.web.people.audit_words import who
from memory_appliance.web.told import refusal
from search.dates.zone import zone


@dataclass(frozen=True, slots=True)
class Row:
    """`time` in the agent's zone; `text` without what marks a line as one of a list."""

    note: Learned
    time: str
    who: str
    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Chat:
    """The notes of one chat on one day; `name` None for notes that came from no chat."""

    name: ChatName | None
    address: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Day:
    name: str
    chats: tuple[Chat, ...]


@agent_page("view")
@require_http_methods(["GET", "HEAD", "POST"])
def learned_page(request: HttpRequest, access: Access) -> HttpResponse:
    """GET ?show=all shows what was decided too; a POST keeps or rejects those that are ticked, or keeps all."""
    if request.method == "POST":
        return _decide(request, access)
    everything = request.GET.get("show") == "all"
    below = request.GET.get("below", "")
    page = learned(access.agent, everything=everything, below=int(below) if _is_id(below) else None)
    context = {"access": access, "page": page, "days": _days(access, page.rows), "everything": everything}
    return answer(request, "learned/page.html", context)


def _decide(request: HttpRequest, access: Access) -> HttpResponse:
    if not access.may_edit:
        raise PermissionDenied
    do = request.POST.get("do", "")
    ids = [int(one) for one in request.POST.getlist("shown" if do == "keep-all" else "note") if _is_id(one)]
    decided = reject if do == "reject" else keep
    try:
        count = decided(agent=access.agent, caller=access.caller, ids=ids)
    except RuleError as error:
        messages.error(request, refusal(error))
    else:
        said = (
            ngettext("%(count)s note rejected and taken out.", "%(count)s notes rejected and taken out.", count)
            if decided is reject
            else ngettext("%(count)s note kept.", "%(count)s notes kept.", count)
        )
        messages.success(request, said % {"count": count})
    show = {"show": "all"} if request.POST.get("show") == "all" else {}
    address = reverse("learned", args=[access.agent.slug])
    return HttpResponseRedirect(f"{address}?{urlencode(show)}" if show else address)


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < len(text) < 18


def _days(access: Access, notes: Sequence[Learned]) -> tuple[Day, ...]:
    tz, chats_open = zone(access.agent.timezone), may_read(access)

    def chat(session: str, of_it: Sequence[Learned]) -> Chat:
        address = reverse("chat", args=[access.agent.slug]) + "?" + urlencode({"session": session})
        shown = bool(session) and chats_open
        return Chat(
            chat_name(session) if session else None, address if shown else "", tuple(_row(access, one) for one in of_it)
        )

    days = []
    for day, of_day in groupby(notes, key=lambda one: one.at.astimezone(tz).date()):
        rows = list(of_day)
        sessions = dict.fromkeys(one.session_key for one in rows)
        name = day_of(rows[0].at.astimezone(tz)) if day else ""
        chats = tuple(chat(key, [one for one in rows if one.session_key == key]) for key in sessions)
        days.append(Day(name, chats))
    return tuple(days)


def _row(access: Access, note: Learned) -> Row:
    lines = Lines(note.start_line, note.start_line + max(0, len(note.lines) - 1)) if note.there else None
    text = "\n".join(line.removeprefix("- ") for line in note.lines) or _("(its text was forgotten)")
    return Row(
        note,
        time=f"{note.at.astimezone(zone(access.agent.timezone)):%H:%M}",
        who=who(note.actor),
        text=text,
        address=reader_address(access.agent.slug, note.path, lines),
    )
