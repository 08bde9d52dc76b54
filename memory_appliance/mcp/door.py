"""/mcp: who calls, and whether the message can be read; the rest is the exchange's."""

from __future__ import annotations

import json
from typing import Any, cast

from asgiref.sync import async_to_sync
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt

from memory_appliance.api.auth import ANY_RIGHT, count_requests
from memory_appliance.api.parser import MalformedBody, StrictJsonParser
from memory_appliance.api.refusals import refused
from memory_appliance.mcp.message import fault_of, fault_of_batch, fault_of_version
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import ApiError, error_response

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
        cast(Any, request).auth = key
        return _batch(request, message) if isinstance(message, list) else _one(request, message)
    except MalformedBody as error:
        return _unreadable(str(error))
    except (ApiError, RequestDataTooBig, UnreadablePostError) as error:
        return refused(request, error)


def _one(request: HttpRequest, message: Any) -> HttpResponse:
    fault = fault_of(message) or fault_of_version(request, message)
    if fault is not None:
        return fault
    if message.get("method") == "ping" and "id" in message:  # the newest version has none, its clients send it still
        return JsonResponse({"jsonrpc": "2.0", "id": message["id"], "result": {}})
    from memory_appliance.mcp.exchange import exchange  # late: a second to load, and 20 MB, for those who use it

    return async_to_sync(exchange)(request, json.dumps(message).encode())


def _batch(request: HttpRequest, messages: list[Any]) -> HttpResponse:
    """Each message in its turn; every one counts as a request of the key."""
    fault = fault_of_batch(request, messages)
    if fault is not None:
        return fault
    count_requests(request, len(messages) - 1)
    said = [_one(request, message).content for message in messages]
    answers = [json.loads(content) for content in said if content]
    return JsonResponse(answers, safe=False) if answers else HttpResponse(status=202)


def _unreadable(why: str) -> HttpResponse:
    data = {"code": ErrorCode.MALFORMED_JSON.value, "hint": ErrorCode.MALFORMED_JSON.hint}
    error = {"code": PARSE_ERROR, "message": f"Parse error: {why}", "data": data}
    return JsonResponse({"jsonrpc": "2.0", "id": None, "error": error}, status=400)
