"""What every schema of the API shares: bodies are strict and closed, answers are plain."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """A request body: no type is guessed, and a field we do not know is an error, not a typo that goes unseen."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)
