"""The error answer, as the API's description shows it."""

from __future__ import annotations

from memory_appliance.api.codes import ErrorCode
from memory_appliance.api.schemas.base import Answer


class ErrorDetail(Answer):
    code: ErrorCode
    message: str
    hint: str
    field: str | None = None


class ErrorAnswer(Answer):
    error: ErrorDetail
