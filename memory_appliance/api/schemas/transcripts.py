"""Turns of a chat as they come in, and what was done with them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, Field

from agents.access.scope import Decision
from agents.transcripts import ResetNote, Stored
from agents.transcripts.reading import ChatPart
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.scope import DenialAnswer, SessionBody, denial_answer
from search.documents.transcripts import OTHER, SPEAKERS, Turn

MAX_MESSAGES = 2_000
MAX_TEXT_CHARS = 500_000


def _a_time(text: str) -> str:
    """As it was written. Raises `ValueError` for what is no time."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("not an ISO 8601 time, such as 2026-11-30T08:00:00Z") from None
    return text


class MessageBody(Body):
    """One turn. Roles other than user and assistant are kept and never shown. `content` and `timestamp` do as well."""

    id: str = Field("", max_length=200, description="The same id is stored once.")
    role: str = Field(max_length=40, examples=["user"])
    text: str = Field(max_length=MAX_TEXT_CHARS, validation_alias=AliasChoices("text", "content"))
    at: Annotated[str, AfterValidator(_a_time)] = Field(
        "", max_length=64, validation_alias=AliasChoices("at", "timestamp"), description="ISO 8601."
    )

    def turn(self) -> Turn:
        role = self.role.strip().lower()
        if role in SPEAKERS:
            return Turn(role, self.text, id=self.id, at=self.at)
        return Turn(OTHER, "", id=self.id, at=self.at, raw=self.model_dump_json())


class MessagesBody(Body):
    messages: list[MessageBody] = Field(max_length=MAX_MESSAGES)
    session: SessionBody | None = Field(None, description="Accepted for the gateway's convenience; the key decides.")


class SkippedAnswer(Answer):
    """A message that was not kept: its place in the list, from 0, and why."""

    index: int
    id: str
    reason: str


class StoredAnswer(Answer):
    stored: int
    duplicates: int
    unknown: int = Field(description="Of those stored, lines of no known form: kept, not shown.")
    skipped: list[SkippedAnswer] | None = Field(
        None, description="What says nothing, and what says something else under an id that is stored; absent if none."
    )


class SaidAnswer(Answer):
    """One message as search shows it: secrets masked, without blocks that a gateway has injected."""

    role: Literal["user", "assistant"]
    text: str
    at: datetime | None


class ConversationAnswer(Answer):
    """What was said since the chat's last reset, oldest first."""

    outcome: Literal["ok", "denied"]
    items: list[SaidAnswer]
    older: str | None = Field(
        None, description="Give it as `before` for the messages before these; absent at the start."
    )
    passed: int = Field(description="Lines of this page that are too long to be read.")
    scope: DenialAnswer | None = None


class ResetBody(Body):
    reason: Literal["new", "reset"] = "reset"


class ResetAnswer(Answer):
    """`path` is null when there was nothing to keep, or the rules refuse the chat; `reason` says which.

    With a path, `reason` says why the note is named after the time although a generator was asked for a name.
    """

    path: str | None
    messages: int
    reason: str


def stored_answer(done: Stored) -> StoredAnswer:
    skipped = [SkippedAnswer(index=item.index, id=item.id, reason=item.reason) for item in done.skipped]
    return StoredAnswer(stored=done.stored, duplicates=done.duplicates, unknown=done.unknown, skipped=skipped or None)


def conversation_answer(found: ChatPart | Decision) -> ConversationAnswer:
    if isinstance(found, Decision):
        return ConversationAnswer(outcome="denied", items=[], older=None, passed=0, scope=denial_answer(found))
    items = [SaidAnswer.model_validate(message, from_attributes=True) for message in found.messages]
    return ConversationAnswer(outcome="ok", items=items, older=found.older and str(found.older), passed=found.passed)


def reset_answer(done: ResetNote) -> ResetAnswer:
    return ResetAnswer(path=done.path, messages=done.messages, reason=done.why)
