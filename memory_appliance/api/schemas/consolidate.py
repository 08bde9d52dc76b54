"""A round of consolidation: what was, or would be, promoted."""

from __future__ import annotations

from typing import Literal

from agents.upkeep.consolidation import Consolidated
from memory_appliance.api.schemas.base import Answer, Body


class ConsolidateBody(Body):
    dry_run: bool = False


class PromotedAnswer(Answer):
    """`source` is the line that it was taken from."""

    text: str
    source: str
    importance: int
    triggers: list[str]


class ConsolidateAnswer(Answer):
    """`diff` is the change of MEMORY.md, made or only shown."""

    status: Literal["promoted", "nothing", "refused"]
    dry_run: bool
    promoted: list[PromotedAnswer]
    superseded: list[str]
    diff: str
    reason: str | None


def consolidate_answer(done: Consolidated) -> ConsolidateAnswer:
    return ConsolidateAnswer(
        status=done.status,
        dry_run=done.dry_run,
        promoted=[
            PromotedAnswer(
                text=entry.text, source=entry.anchor, importance=entry.importance, triggers=list(entry.triggers)
            )
            for entry in done.promoted
        ],
        superseded=list(done.superseded),
        diff=done.diff,
        reason=done.reason or None,
    )
