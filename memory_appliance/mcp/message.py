"""What keeps a message from being one of JSON-RPC, or of a version that is spoken here.

The SDK would silently take some messages for notifications.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, JsonResponse

INVALID_REQUEST = -32600
INVALID_PARAMS = -32602

BATCH_VERSION = "2025-03-26"
"""The one version with batches, and the one that a message without a version has (MCP, 2025-06-18, Transports)."""
MAX_BATCH = 20
"""Messages: the batch is answered by one thread, in one request."""


def fault_of(message: Any) -> JsonResponse | None:
    """The error to answer with, under the message's own id where it has one; None for a message that can be read."""
    if not isinstance(message, dict):
        return _refused(None, INVALID_REQUEST, "A message is a JSON object.")
    number = message.get("id")
    if "id" in message and (isinstance(number, bool) or not isinstance(number, int | str)):
        return _refused(None, INVALID_REQUEST, "The id of a request is a string or a whole number.")
    if message.get("jsonrpc") != "2.0":
        return _refused(number, INVALID_REQUEST, 'A message says "jsonrpc": "2.0".')
    if "method" not in message:
        answers = "id" in message and ("result" in message or "error" in message)
        return None if answers else _refused(number, INVALID_REQUEST, "The method is missing.")
    if not isinstance(message["method"], str):
        return _refused(number, INVALID_REQUEST, "The method is a string.")
    if not isinstance(message.get("params", {}), dict | None):
        return _refused(number, INVALID_PARAMS, "The params of this protocol are an object.")
    return None


def fault_of_batch(request: HttpRequest, messages: list[Any]) -> JsonResponse | None:
    if request.headers.get("Mcp-Protocol-Version", BATCH_VERSION) != BATCH_VERSION:
        why = f"Batches are part of version {BATCH_VERSION} alone: send one message at a time."
    elif not 0 < len(messages) <= MAX_BATCH:
        why = f"A batch has 1 to {MAX_BATCH} messages."
    else:
        return None
    return _refused(None, INVALID_REQUEST, why)


def fault_of_version(request: HttpRequest, message: dict[str, Any]) -> JsonResponse | None:
    from mcp_types.jsonrpc import UNSUPPORTED_PROTOCOL_VERSION  # late, as the exchange
    from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

    asked = request.headers.get("Mcp-Protocol-Version")
    if asked is None or asked in KNOWN_PROTOCOL_VERSIONS:
        return None
    error = {
        "code": UNSUPPORTED_PROTOCOL_VERSION,
        "message": f"Unsupported protocol version. Spoken here: {', '.join(KNOWN_PROTOCOL_VERSIONS)}.",
        "data": {"supported": list(KNOWN_PROTOCOL_VERSIONS), "requested": asked[:64]},
    }
    return JsonResponse({"jsonrpc": "2.0", "id": message.get("id"), "error": error}, status=400)


def _refused(number: int | str | None, code: int, why: str) -> JsonResponse:
    error = {"code": code, "message": f"{'Invalid request' if code == INVALID_REQUEST else 'Invalid params'}: {why}"}
    return JsonResponse({"jsonrpc": "2.0", "id": number, "error": error}, status=400)
