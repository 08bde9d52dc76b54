"""A chat as a file: Markdown to read, or JSON lines for programs. What the page shows, all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agents.models import Transcript
from agents.transcripts.reading import read_all
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.chats.names import chat_name
from memory_appliance.web.chats.opened import opened
from memory_appliance.web.files.read import RAW_POLICY
from search.dates.zone import zone


@agent_page("view")
@require_safe
def export(request: HttpRequest, access: Access) -> HttpResponseBase:
    transcript = opened(request, access)
    as_jsonl = request.GET.get("format") == "jsonl"
    lines = _jsonl(transcript) if as_jsonl else _markdown(transcript, access.agent.name or access.agent.slug)
    kind, ending = ("application/jsonl", "jsonl") if as_jsonl else ("text/markdown", "md")
    response = StreamingHttpResponse(
        (line.encode("utf-8", "replace") for line in lines), content_type=f"{kind}; charset=utf-8"
    )
    response["Content-Disposition"] = content_disposition_header(True, f"{transcript.folder}.{ending}") or "attachment"
    response["Content-Security-Policy"] = RAW_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store"
    return response


def _jsonl(transcript: Transcript) -> Iterator[str]:
    for message in read_all(transcript):
        fields = {"role": message.role, "text": message.text, "at": message.at.isoformat() if message.at else ""}
        yield json.dumps({name: value for name, value in fields.items() if value}, ensure_ascii=False) + "\n"


def _markdown(transcript: Transcript, agent: str) -> Iterator[str]:
    """A heading for each day, and each message under its speaker and time in the agent's time zone."""
    own = zone(transcript.agent.timezone)
    speakers = {"user": _("Person"), "assistant": agent}
    yield f"# {chat_name(transcript.session_key).title}\n"
    day = ""
    for message in read_all(transcript):
        at = message.at.astimezone(own) if message.at else None
        if at and f"{at:%Y-%m-%d}" != day:
            day = f"{at:%Y-%m-%d}"
            yield f"\n## {day}\n"
        time = f" · {at:%H:%M}" if at else ""
        yield f"\n**{speakers[message.role]}**{time}\n\n{message.text}\n"
