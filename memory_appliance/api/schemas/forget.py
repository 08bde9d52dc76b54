"""Forgetting: what goes, and what stays."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import Field, model_validator

from agents.upkeep.forget import Forgotten
from memory_appliance.api.schemas.base import Answer, Body


class ForgetBody(Body):
    """Either `path` or `session_key`."""

    path: str = Field("", max_length=1000, examples=["memory/2026-01-05.md"])
    session_key: str = Field("", max_length=1000)
    dry_run: bool = Field(False, description="Only say what would go.")

    @model_validator(mode="after")
    def _one(self) -> ForgetBody:
        if bool(self.path) == bool(self.session_key):
            raise ValueError("give either path or session_key")
        return self


class TakenAnswer(Answer):
    """A whole file, or lines of it as they are numbered now."""

    path: str
    whole: bool
    start_line: int
    end_line: int


class RemovedAnswer(Answer):
    """`versions`: kept earlier contents; `messages`: of the session's transcript."""

    texts: list[TakenAnswer]
    index_rows: int
    vectors: int
    versions: int
    messages: int


class StaysAnswer(Answer):
    what: str
    hint: str


class ForgetAnswer(Answer):
    """With `dry_run` nothing has happened yet."""

    dry_run: bool
    removed: RemovedAnswer
    stays: list[StaysAnswer]


def forget_answer(found: Forgotten) -> ForgetAnswer:
    return ForgetAnswer.model_validate(asdict(found))
