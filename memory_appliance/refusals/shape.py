"""The one shape every error answer has, for the API and for Django's own error pages under it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, JsonResponse

from memory_appliance.refusals.codes import ErrorCode

MACHINE_PREFIXES = ("/api/", "/health/", "/mcp", "/metrics", "/.well-known/", "/register", "/token")
"""Addresses that programs call: their errors are JSON; people's errors are pages. At the last three
MCP clients look for OAuth when a key is wrong.
"""


RETRY_SECONDS = {
    ErrorCode.WORKSPACE_BUSY: 1,
    ErrorCode.INDEX_BUSY: 2,
    ErrorCode.TEMPORARILY_UNAVAILABLE: 2,
}
"""What goes by: the same request can succeed after so many seconds."""


class ApiError(Exception):
    """An answer that is an error, raised by a door."""

    def __init__(
        self, code: ErrorCode, message: str, *, hint: str = "", field: str = "", retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint or code.hint
        self.field = field
        self.retry_after = retry_after


def error_body(code: ErrorCode, message: str, *, hint: str = "", field: str = "") -> dict[str, Any]:
    error = {"code": code.value, "message": message, "hint": hint or code.hint}
    if field:
        error["field"] = field
    return {"error": error}


def error_response(
    code: ErrorCode, message: str, *, hint: str = "", field: str = "", retry_after: int | None = None
) -> JsonResponse:
    response = JsonResponse(error_body(code, message, hint=hint, field=field), status=code.status)
    if code is ErrorCode.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    seconds = RETRY_SECONDS.get(code) if retry_after is None else retry_after
    if seconds is not None:
        response["Retry-After"] = str(seconds)
    return response


def wants_json(request: HttpRequest) -> bool:
    return request.path_info.startswith(MACHINE_PREFIXES) and request.path_info != "/api/docs"
