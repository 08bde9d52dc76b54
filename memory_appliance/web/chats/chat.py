"""One chat: its newest messages first, older ones a page at a time, or those that hold some words."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.transcripts.reading import BLOCK, place_of, read_after, read_before
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
    before, after = (place_of(request.GET.get(name, "")) for name in ("before", "after"))
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
        older=str(part.older or ""),
        newer="" if words else str(part.newer or ""),
        passed=part.passed,
        newest=before is None and after is None,
    )
    return answer(request, "chats/chat.html", {"access": access, "chat": page})
