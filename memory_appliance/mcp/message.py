"""fault_of(): what keeps a message from being one of JSON-RPC. The SDK would silently take some for notifications."""

from __future__ import annotations

from typing import Any

from django.http import JsonResponse

INVALID_REQUEST = -32600
INVALID_PARAMS = -32602


def fault_of(message: Any) -> JsonResponse | None:
    """The error to answer with, under the message's own id where it has one; None for a message that can be read."""
    if isinstance(message, list):
        return _refused(None, INVALID_REQUEST, "Batches are not part of this protocol: send one message at a time.")
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


def _refused(number: int | str | None, code: int, why: str) -> JsonResponse:
    error = {"code": code, "message": f"{'Invalid request' if code == INVALID_REQUEST else 'Invalid params'}: {why}"}
    return JsonResponse({"jsonrpc": "2.0", "id": number, "error": error}, status=400)
