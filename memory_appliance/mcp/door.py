"""/mcp: who calls, and whether the message can be read; the rest is the exchange's."""

from __future__ import annotations

import json
from typing import Any, cast

from asgiref.sync import async_to_sync
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt

from memory_appliance.api.auth import ANY_RIGHT
from memory_appliance.api.codes import ErrorCode
from memory_appliance.api.parser import MalformedBody, StrictJsonParser
from memory_appliance.api.refusals import refused
from memory_appliance.api.shape import ApiError, error_response
from memory_appliance.mcp.message import fault_of

PARSE_ERROR = -32700


@csrf_exempt
def mcp(request: HttpRequest) -> HttpResponse:
    """One JSON answer for each message: no server-sent events, so a GET has nothing to wait for."""
    try:
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
    fault = fault_of(message)
    if fault is not None:
        return fault
    cast(Any, request).auth = key
    from memory_appliance.mcp.exchange import exchange  # late: a second to load, and 20 MB, for those who use it

    return async_to_sync(exchange)(request, json.dumps(message).encode())


def _unreadable(why: str) -> HttpResponse:
    data = {"code": ErrorCode.MALFORMED_JSON.value, "hint": ErrorCode.MALFORMED_JSON.hint}
    error = {"code": PARSE_ERROR, "message": f"Parse error: {why}", "data": data}
    return JsonResponse({"jsonrpc": "2.0", "id": None, "error": error}, status=400)
