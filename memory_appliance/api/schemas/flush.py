"""A conversation to flush, and the notes that came of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.flush import Flushed
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.scope import DenialAnswer, denial_answer
from memory_appliance.api.schemas.transcripts import MAX_MESSAGES, MessageBody


class FlushBody(Body):
    """`messages`, or what the chat `session_key` has stored since its last flush; with both, messages of that chat."""

    session_key: str = Field("", max_length=1000, examples=["agent:home:telegram:direct:42"])
    messages: list[MessageBody] | None = Field(None, max_length=MAX_MESSAGES)
    cycle: int | str | None = Field(None, description="The gateway's count of compactions: each is flushed once.")
    deadline_ms: int | None = Field(None, ge=1, le=600_000)
    dry_run: bool = Field(False, description="Only say what of `messages` would be noted; nothing of them is kept.")


class WrittenAnswer(Answer):
    """`source_index` is the message's place in the flushed list, from 0. In a dry run there are no lines yet: 0."""

    path: str
    start_line: int
    end_line: int
    kind: str
    text: str
    source_index: int


class FlushAnswer(Answer):
    """With `dry_run`, `written` is what would be noted, also what stands in the notes already."""

    status: Literal["written", "nothing", "already_flushed", "denied"]
    method: Literal["generated", "extractive", "excerpt"]
    written: list[WrittenAnswer]
    reason: str | None
    indexed: bool = Field(description="Whether the notes' words can be searched now.")
    scope: DenialAnswer | None = None
    dry_run: bool = False


def flush_answer(done: Flushed, *, dry_run: bool) -> FlushAnswer:
    return FlushAnswer(
        dry_run=dry_run,
        status=done.status,
        method=done.method,
        written=[
            WrittenAnswer(
                path=note.path,
                start_line=note.start_line,
                end_line=note.end_line,
                kind=note.kind,
                text=note.text,
                source_index=note.source_index,
            )
            for note in done.written
        ],
        reason=done.reason or None,
        indexed=done.indexed,
        scope=denial_answer(done.decision) if done.decision else None,
    )
