"""The error answer, as the API's description shows it."""

from __future__ import annotations

from memory_appliance.api.schemas.base import Answer
from memory_appliance.refusals.codes import ErrorCode


class ErrorDetail(Answer):
    code: ErrorCode
    message: str
    hint: str
    field: str | None = None


class ErrorAnswer(Answer):
    error: ErrorDetail
