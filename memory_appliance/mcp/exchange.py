"""exchange(): one request of a client through the SDK and back, without a session and without a stream.

The SDK speaks ASGI. It gets one event loop per request, and its handlers run on the thread that called: no process,
no thread and no connection of its own, and nothing that is kept between two requests.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import anyio
from django.http import HttpRequest, HttpResponse
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from memory_appliance.mcp.server import REQUEST, server

_NOT_PASSED_ON = frozenset({"authorization", "cookie", "content-length", "transfer-encoding"})


async def exchange(request: HttpRequest, body: bytes) -> HttpResponse:
    """Every protocol version that the SDK knows, old ones by their handshake, new ones by their header."""
    manager = StreamableHTTPSessionManager(
        server, stateless=True, json_response=True, max_request_body_size=max(len(body), 1)
    )
    answer = _Answer()
    async with manager.run():
        await manager.handle_request(_scope(request, body), _Once(body).receive, answer.send)
    return answer.response()


def _scope(request: HttpRequest, body: bytes) -> dict[str, Any]:
    headers = [
        (name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        for name, value in request.headers.items()
        if name.lower() not in _NOT_PASSED_ON
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path_info,
        "raw_path": request.path_info.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [*headers, (b"content-length", str(len(body)).encode())],
        REQUEST: request,
    }


class _Once:
    """The body, then the silence of a client that waits."""

    def __init__(self, body: bytes) -> None:
        self._messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive(self) -> MutableMapping[str, Any]:
        if not self._messages:
            await anyio.sleep_forever()
        return self._messages.pop()


class _Answer:
    """What the SDK sends, collected."""

    def __init__(self) -> None:
        self._status = 500
        self._headers: list[tuple[bytes, bytes]] = []
        self._body = bytearray()

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], message.get("headers", [])
        else:
            self._body += message.get("body", b"")

    def response(self) -> HttpResponse:
        response = HttpResponse(bytes(self._body), status=self._status)
        del response["Content-Type"]
        for name, value in self._headers:
            if name != b"content-length":
                response[name.decode("latin-1")] = value.decode("latin-1")
        return response
