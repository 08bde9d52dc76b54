"""What an agent learned, as the API shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from agents.files.learned import MOST_AT_ONCE, LearnedPage
from memory_appliance.api.schemas.base import Answer, Body


class LearnedNote(Answer):
    """`there`: the text stands in the file as it was written. `decision` is null while the note waits."""

    id: int
    at: datetime
    actor: str
    session_key: str | None
    path: str
    start_line: int
    text: str
    there: bool
    decision: Literal["kept", "rejected"] | None


class LearnedList(Answer):
    """`next` is the id to ask on from (`below`); null at the end."""

    items: list[LearnedNote]
    waiting: int
    next: int | None


class Decision(Body):
    ids: list[int] = Field(min_length=1, max_length=MOST_AT_ONCE)
    decision: Literal["keep", "reject"]


class Decided(Answer):
    decided: int


def learned_answer(page: LearnedPage) -> LearnedList:
    return LearnedList(
        items=[
            LearnedNote(
                id=row.id,
                at=row.at,
                actor=row.actor,
                session_key=row.session_key or None,
                path=row.path,
                start_line=row.start_line,
                text="\n".join(row.lines),
                there=row.there,
                decision="kept" if row.decision == "kept" else "rejected" if row.decision else None,
            )
            for row in page.rows
        ],
        waiting=page.waiting,
        next=page.older,
    )
