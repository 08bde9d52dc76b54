"""Upstream: a model on loopback in OpenAI's format that can also refuse, fail, break off and never end."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = ["It is under ", "the blue pot, ", "我想。"]
KEY = "upstream-key"
TOOL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Upstream:
    """Words of the latest message say how: `too many`, `fail`, `break off`, `for ever`, `wait long`, `tool`."""

    asked: list[Asked] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a client went away from an answer without an end."""

    def __enter__(self) -> Upstream:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def last(self) -> dict[str, Any]:
        return self.asked[-1].body


def _handler(upstream: Upstream) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing on the test's output."""

        def do_GET(self) -> None:
            upstream.asked.append(Asked(self.path, dict(self.headers), {}))
            self._json(
                200, {"object": "list", "data": [{"id": "loop-1", "object": "model", "created": 0, "owned_by": "me"}]}
            )

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            upstream.asked.append(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            if self.path.endswith("/embeddings"):
                row = {"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}
                self._json(
                    200,
                    {
                        "object": "list",
                        "model": "loop-1",
                        "data": [row],
                        "usage": {"prompt_tokens": 1, "total_tokens": 1},
                    },
                )
                return
            said = json.dumps(body["messages"][-1], ensure_ascii=False)
            if "too many" in said:
                self._json(
                    429,
                    {"error": {"message": "Slow down.", "type": "rate", "code": "rate_limited"}},
                    {"Retry-After": "7"},
                )
            elif "fail" in said:
                self._json(500, {"error": {"message": "Out of memory.", "type": "server_error", "code": "oom"}})
            elif body.get("stream"):
                self._stream(said)
            elif "tool" in said and body["messages"][-1]["role"] != "tool":
                self._json(200, _whole({"role": "assistant", "content": None, "tool_calls": [TOOL]}, "tool_calls"))
            elif "wait long" in said:
                while not self._gone():
                    time.sleep(0.05)
                upstream.left.set()
            else:
                self._json(200, _whole({"role": "assistant", "content": "".join(ANSWER)}, "stop"))

        def _stream(self, said: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for event in _events(said):
                    self._part(event)
            except OSError:
                upstream.left.set()
                return
            if "break off" in said:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def _part(self, event: bytes) -> None:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
            self.wfile.flush()

        def _gone(self) -> bool:
            self.connection.setblocking(False)
            try:
                return self.connection.recv(1) == b""
            except BlockingIOError:
                return False
            finally:
                self.connection.setblocking(True)

        def _json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "X-Request-Id": "up-1", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def _events(said: str) -> Iterator[bytes]:
    number = 0
    while "for ever" in said:
        number += 1
        yield _event({"content": f"{number} "})
        time.sleep(0.02)
    if "tool" in said and '"tool"' not in said:
        yield _event({"tool_calls": [{"index": 0, **TOOL}]})
        yield _event({}, "tool_calls")
    else:
        for words in ANSWER:
            yield _event({"content": words})
        if "break off" in said:
            return
        yield _event({}, "stop")
    yield b"data: [DONE]\n\n"


def _event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "loop-1", "choices": [choice]}
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


def _whole(message: dict[str, Any], finish: str) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 0, "model": "loop-1", "choices": [choice]}
