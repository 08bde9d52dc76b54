"""Writing a note, and what a new chat starts with."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, field_validator

from agents.context import Context
from agents.files.notes import Noted
from agents.workspace.block import MAX_TEXT_CHARS, MAX_TRIGGERS
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.moments import amid_the_calendar
from memory_appliance.api.schemas.scope import DenialAnswer, SessionBody, denial_answer


class NoteBody(Body):
    """`target` is `daily`, `memory` (MEMORY.md), `user` (USER.md), or a path such as `memory/projects.md`."""

    text: str = Field(max_length=MAX_TEXT_CHARS, examples=["The spare key is under the blue pot."])
    target: str = Field("daily", max_length=1000)
    importance: int | None = Field(None, ge=1, le=10, description="5 is neutral.")
    triggers: list[str] = Field(default_factory=list, max_length=MAX_TRIGGERS, examples=[["spare key"]])
    idempotency_key: str = Field("", max_length=200, description="The same key is answered as the first time.")
    session: SessionBody | None = Field(None, description="The chat that the text comes from.")


class NoteAnswer(Answer):
    """Where the text stands. `duplicate`: it stood there already and was not written again."""

    path: str
    start_line: int
    end_line: int
    duplicate: bool
    indexed: bool = Field(description="Whether its words can be searched now.")
    warnings: list[str]


class ContextBody(Body):
    session: SessionBody | None = None
    now: Annotated[AwareDatetime, AfterValidator(amid_the_calendar)] | None = Field(
        None, description="With a zone; for trying out another day."
    )

    @field_validator("now", mode="before")
    @classmethod
    def _parsed(cls, value: object) -> object:
        """Bodies are strict, and JSON knows no times: text is read here."""
        if not isinstance(value, str):
            return value
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            raise ValueError("not an ISO 8601 time") from None


class InjectedAnswer(Answer):
    path: str
    total_chars: int
    injected_chars: int
    truncated: bool


class ContextAnswer(Answer):
    """`text` opens a new chat. Whatever was cut is marked in it and named in `warnings`, with sizes."""

    outcome: Literal["ok", "denied"]
    text: str
    files: list[InjectedAnswer]
    warnings: list[str]
    scope: DenialAnswer | None = None


def note_answer(noted: Noted) -> NoteAnswer:
    return NoteAnswer(
        path=noted.appended.path,
        start_line=noted.appended.start_line,
        end_line=noted.appended.end_line,
        duplicate=noted.appended.duplicate,
        indexed=noted.indexed,
        warnings=list(noted.warnings),
    )


def context_answer(found: Context) -> ContextAnswer:
    return ContextAnswer(
        outcome="denied" if found.denied else "ok",
        text=found.text,
        files=[
            InjectedAnswer(
                path=file.path,
                total_chars=file.total_chars,
                injected_chars=file.injected_chars,
                truncated=file.truncated,
            )
            for file in found.files
        ],
        warnings=list(found.warnings),
        scope=denial_answer(found.denied) if found.denied else None,
    )
