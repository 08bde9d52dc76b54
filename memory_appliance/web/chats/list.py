"""The chats of an agent, the last used first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.access.sessions import MAX_KEY_CHARS
from agents.core.paging import page_of
from agents.models import Transcript
from agents.transcripts.reading import read_before
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.chats.names import ChatName, chat_name
from memory_appliance.web.chats.opened import may_read
from memory_appliance.web.days import day_of
from memory_appliance.web.page import answer
from search.dates.zone import zone

ROWS = 25
LAST_BYTES = 16 * 1024
"""Of a chat's end, looked through for its last message."""
MOST_COUNTED = 1_000


@dataclass(frozen=True, slots=True)
class ChatRow:
    """`at`: of the last message, or when something was last stored, in the agent's time zone. `count` is exact below
    `MOST_COUNTED`."""

    session: str
    name: ChatName
    at: datetime
    day: str
    last: str
    mine: bool
    count: int

    @property
    def many(self) -> bool:
        return self.count >= MOST_COUNTED


@agent_page("view")
@require_safe
def chats(request: HttpRequest, access: Access) -> HttpResponse:
    words = request.GET.get("q", "").strip()[:MAX_KEY_CHARS]
    readable = may_read(access)
    found = access.agent.transcripts.order_by("-last_at", "-id") if readable else Transcript.objects.none()
    for word in words.split():
        found = found.filter(session_key__icontains=word)
    page = page_of(found, request.GET.get("page"), size=ROWS)
    rows = [_row(access, transcript) for transcript in page.rows]
    context = {"access": access, "page": page, "rows": rows, "words": words, "readable": readable}
    return answer(request, "chats/list.html", context)


def _row(access: Access, transcript: Transcript) -> ChatRow:
    transcript.agent = access.agent
    last = next(iter(read_before(transcript, limit=1, budget=LAST_BYTES).messages), None)
    at = ((last and last.at) or transcript.last_at).astimezone(zone(access.agent.timezone))
    return ChatRow(
        session=transcript.session_key,
        name=chat_name(transcript.session_key),
        at=at,
        day=day_of(at),
        last=" ".join(last.text[:1000].split()) if last else "",
        mine=last is not None and last.role == "user",
        count=transcript.messages.values("pk")[:MOST_COUNTED].count(),
    )
