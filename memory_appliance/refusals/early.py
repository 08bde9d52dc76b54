"""refuse(): an error in the one shape, given before Django hears of the request; the connection is closed after it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memory_appliance import request_ids
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import error_body

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_REASONS = {400: "Bad Request", 429: "Too Many Requests"}
_RETRY_SECONDS = 2


def refuse(
    environ: WSGIEnvironment, start_response: StartResponse, code: ErrorCode, message: str, *, hint: str
) -> list[bytes]:
    body = json.dumps(error_body(code, message, hint=hint)).encode()
    headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
        (request_ids.NAME, request_ids.id_for(environ.get("HTTP_X_REQUEST_ID", ""))),
    ]
    if code is ErrorCode.TOO_MANY_REQUESTS:
        headers.append(("Retry-After", str(_RETRY_SECONDS)))
    start_response(f"{code.status} {_REASONS[code.status]}", headers)
    return [body]
