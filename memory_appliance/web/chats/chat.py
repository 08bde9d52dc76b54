"""One chat: its newest messages first, older ones a page at a time, or those that hold some words."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.core.paging import as_number
from agents.transcripts.reading import BLOCK, Place, read_after, read_before
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.chats.names import ChatName, chat_name
from memory_appliance.web.chats.opened import opened
from memory_appliance.web.chats.timeline import Item, found_messages, timeline
from memory_appliance.web.page import answer

MESSAGES = 50
SEARCHED = 8 * BLOCK
"""Bytes of a chat that one search looks through before it asks whether to go on."""


@dataclass(frozen=True, slots=True)
class ChatPage:
    """`older` and `newer`: places as addresses have them, "" at the ends."""

    session: str
    name: ChatName
    items: tuple[Item, ...]
    words: str
    older: str
    newer: str
    passed: int
    newest: bool


@agent_page("view")
@require_safe
def chat(request: HttpRequest, access: Access) -> HttpResponse:
    transcript = opened(request, access)
    words = request.GET.get("q", "").strip()[:500]
    before, after = (_place(request.GET.get(name, "")) for name in ("before", "after"))
    if words:
        part = read_before(transcript, before, limit=MESSAGES, containing=words, budget=SEARCHED)
        items = found_messages(access.agent, part.messages)
    else:
        part = (
            read_after(transcript, after, limit=MESSAGES) if after else read_before(transcript, before, limit=MESSAGES)
        )
        items = timeline(access.agent, transcript, part)
    page = ChatPage(
        session=transcript.session_key,
        name=chat_name(transcript.session_key),
        items=items,
        words=words,
        older=_address(part.older),
        newer="" if words else _address(part.newer),
        passed=part.passed,
        newest=before is None and after is None,
    )
    return answer(request, "chats/chat.html", {"access": access, "chat": page})


def _place(text: str) -> Place | None:
    """`3-1200`: byte 1200 of part 3. None for everything else."""
    part, _dash, offset = text.partition("-")
    numbers = as_number(part), as_number(offset)
    return Place(numbers[0], numbers[1]) if numbers[0] is not None and numbers[1] is not None else None


def _address(place: Place | None) -> str:
    return f"{place.part}-{place.offset}" if place else ""
