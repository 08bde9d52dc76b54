"""/mcp: who calls, from which page if any, and whether the message can be read; the rest is the exchange's."""

from __future__ import annotations

import json
from typing import Any, cast
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt

from memory_appliance.api.auth import ANY_RIGHT
from memory_appliance.api.codes import ErrorCode
from memory_appliance.api.parser import MalformedBody, StrictJsonParser
from memory_appliance.api.refusals import refused
from memory_appliance.api.shape import ApiError, error_response

PARSE_ERROR = -32700
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@csrf_exempt
def mcp(request: HttpRequest) -> HttpResponse:
    """One JSON answer for each message: no server-sent events, so a GET has nothing to wait for."""
    try:
        if not _from_a_known_page(request):
            return error_response(
                ErrorCode.FORBIDDEN,
                "Pages of this origin may not call this server.",
                hint="Add the origin to MEMORY_TRUSTED_ORIGINS if it is yours.",
            )
        key = ANY_RIGHT(request)
        if key is None:
            return error_response(ErrorCode.UNAUTHORIZED, "The key is missing or not valid.")
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        message = StrictJsonParser().parse_body(request)
    except MalformedBody as error:
        return _unreadable(str(error))
    except (ApiError, RequestDataTooBig, UnreadablePostError) as error:
        return refused(request, error)
    cast(Any, request).auth = key
    from memory_appliance.mcp.exchange import exchange  # late: a second to load, and 20 MB, for those who use it

    return async_to_sync(exchange)(request, json.dumps(message).encode())


def _from_a_known_page(request: HttpRequest) -> bool:
    """Programs send no Origin. A page's must be this server's own, one that the owner trusts, or this machine's."""
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    own = f"{request.scheme}://{request.get_host()}"
    return origin == own or origin in settings.CSRF_TRUSTED_ORIGINS or _hostname(origin) in LOOPBACK


def _hostname(origin: str) -> str | None:
    try:
        return urlsplit(origin).hostname
    except ValueError:
        return None


def _unreadable(why: str) -> HttpResponse:
    data = {"code": ErrorCode.MALFORMED_JSON.value, "hint": ErrorCode.MALFORMED_JSON.hint}
    error = {"code": PARSE_ERROR, "message": f"Parse error: {why}", "data": data}
    return JsonResponse({"jsonrpc": "2.0", "id": None, "error": error}, status=400)
