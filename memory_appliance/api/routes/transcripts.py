"""/agents/{slug}/transcripts: the turns of a chat, turn by turn or as JSONL; and the end of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router

from agents.core.agent_settings import enabled_settings
from agents.core.errors import Invalid
from agents.models import Agent
from agents.transcripts import read_conversation, reset_session, store_lines, store_turns
from memory_appliance.api.auth import READ, WRITE, agent_of, caller_of
from memory_appliance.api.schemas.transcripts import (
    ConversationAnswer,
    MessagesBody,
    ResetAnswer,
    ResetBody,
    StoredAnswer,
    conversation_answer,
    reset_answer,
    stored_answer,
)

MAX_LINE_BYTES = 16 * 1024 * 1024

router = Router(tags=["memory"], auth=WRITE)


@router.post(
    "/{slug}/transcripts/{path:session_key}/messages",
    response=StoredAnswer,
    exclude_none=True,
    operation_id="store_messages",
)
def store_messages(request: HttpRequest, slug: str, session_key: str, payload: MessagesBody) -> StoredAnswer:
    """Keep turns of a chat. A message whose id is stored already changes nothing."""
    turns = [message.turn() for message in payload.messages]
    return stored_answer(store_turns(agent=_agent(request, slug), session_key=session_key, turns=turns))


@router.get(
    "/{slug}/transcripts/{path:session_key}/messages",
    response=ConversationAnswer,
    auth=READ,
    operation_id="list_messages",
)
def list_messages(
    request: HttpRequest,
    slug: str,
    session_key: str,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    before: Annotated[str, Query(max_length=40, description="`older` of the answer before.")] = "",
) -> ConversationAnswer:
    """What was said in a chat since its last reset: for a private chat that the rules allow, and for the owner."""
    found = read_conversation(
        agent=agent_of(request, slug), caller=caller_of(request), session_key=session_key, before=before, limit=limit
    )
    return conversation_answer(found)


@router.post(
    "/{slug}/transcripts/{path:session_key}/jsonl",
    response=StoredAnswer,
    exclude_none=True,
    operation_id="store_jsonl",
)
def store_jsonl(request: HttpRequest, slug: str, session_key: str) -> StoredAnswer:
    """Keep a transcript as OpenClaw or Claude Code wrote it, of any length. The same file twice brings nothing new."""
    return stored_answer(store_lines(agent=_agent(request, slug), session_key=session_key, lines=_lines(request)))


@router.post("/{slug}/transcripts/{path:session_key}/reset", response=ResetAnswer, operation_id="reset_session")
def reset(request: HttpRequest, slug: str, session_key: str, payload: ResetBody) -> ResetAnswer:
    """The chat starts anew: its last 15 messages become a dated note, all of it stays searchable."""
    done = reset_session(
        agent=agent_of(request, slug), caller=caller_of(request), session_key=session_key, reason=payload.reason
    )
    return reset_answer(done)


def _agent(request: HttpRequest, slug: str) -> Agent:
    agent = agent_of(request, slug)
    enabled_settings(agent)
    return agent


def _lines(request: HttpRequest) -> Iterator[bytes]:
    """Line by line, however long the body is."""
    while line := request.readline(MAX_LINE_BYTES):
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            raise Invalid("A line is longer than 16 MiB.", hint="Leave out attachments.", field="body")
        yield line
