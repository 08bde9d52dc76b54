"""Handing on, against a real server on the loopback: what passes, what does not, and what happens without an answer."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from agents.nodes.signature import HEADER, verify
from memory_appliance.nodes import forward as forwarding
from memory_appliance.nodes.forward import AWAY, PLAN, Forwarding, Plan, target_of

BIG = b"0123456789abcdef" * 131_072


class Owner(BaseHTTPRequestHandler):
    """The other node: tells what came in, sets two cookies, and misbehaves where it is asked to."""

    seen: dict[str, Any] = {}  # noqa: RUF012 - one server at a time

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Owner.seen = {"headers": self.headers, "path": self.path, "body": body}
        if self.path == "/slow":
            time.sleep(0.5)
        answer = BIG if self.path == "/big" else b"x" * 10
        self.send_response(418, "I'm a teapot")
        for name, value in (("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Keep-Alive", "timeout=9")):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer) + (5 if self.path == "/short" else 0)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def owner(node: str) -> Iterator[str]:
    forwarding._circuits.cache_clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Owner)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Inner:
    """The application behind: leaves a plan the first time, and says afterwards what it was told."""

    def __init__(self, plan: Plan | None) -> None:
        self.plan = plan

    def __call__(self, environ: Any, start_response: Any) -> list[bytes]:
        if AWAY in environ:
            start_response("503 Service Unavailable", [("X-Away", environ[AWAY])])
            return [b"away"]
        if self.plan is not None:
            environ[PLAN] = self.plan
        start_response("200 OK", [])
        return [b"here"]


def ask(plan: Plan | None, method: str = "POST", path: str = "/", body: bytes = b"", **more: str) -> tuple[Any, ...]:
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": "", "REMOTE_ADDR": "10.0.0.9"}
    environ |= {"CONTENT_LENGTH": str(len(body)), "wsgi.url_scheme": "https", "HTTP_HOST": "memory.lan", **more}
    started: list[Any] = []
    answer = Forwarding(Inner(plan))({**environ, "wsgi.input": io.BytesIO(body)}, lambda *told: started.append(told))
    return (*started[0], b"".join(answer))


def plan_for(url: str, patience: float = 5.0, body: bytes | None = None) -> Plan:
    return Plan("b", url, time.monotonic() - 0.25, patience, body)


def test_without_a_plan_the_answer_is_ours(node: str) -> None:
    assert ask(None) == ("200 OK", [], b"here")


def test_the_answer_comes_back_as_it_is(owner: str) -> None:
    status, headers, body = ask(plan_for(owner))
    assert (status, body) == ("418 I'm a teapot", b"x" * 10)
    assert [value for name, value in headers if name == "Set-Cookie"] == ["a=1", "b=2"]
    assert not {"Keep-Alive", "Date", "Server"} & {name for name, _ in headers}


def test_the_request_arrives_as_it_was_and_signed(owner: str) -> None:
    path = "/a/../ü %2F?".encode().decode("latin-1")
    more = {"HTTP_AUTHORIZATION": "Bearer k", "HTTP_X_MEMORY_NODE": "forged", "HTTP_CONNECTION": "close"}
    ask(plan_for(owner), path=path, body=b"{}", **more, QUERY_STRING="a=%20b")
    seen, target = Owner.seen, "/a/../%C3%BC%20%252F%3F?a=%20b"
    assert (seen["path"], seen["body"], seen["headers"]["Host"]) == (target, b"{}", "memory.lan")
    assert (seen["headers"]["Authorization"], seen["headers"]["Accept-Encoding"]) == ("Bearer k", None)
    hop = verify(seen["headers"][HEADER], "POST", target, own="b")
    assert (hop.sender, hop.peer, hop.scheme) == ("a", "10.0.0.9", "https")
    assert 250 <= hop.waited_ms < 5000


@pytest.mark.parametrize("carried", [None, BIG])
def test_large_bodies_pass_both_ways(owner: str, carried: bytes | None) -> None:
    _, headers, body = ask(plan_for(owner, body=carried), path="/big", body=BIG)
    assert Owner.seen["body"] == BIG == body
    assert dict(headers)["Content-Length"] == str(len(BIG))


@pytest.mark.parametrize("path", ["/slow", "/short"])
def test_an_answer_that_is_late_or_breaks_off_is_none(owner: str, path: str) -> None:
    status, headers, _ = ask(plan_for(owner, patience=0.2), path=path)
    assert (status, headers) == ("503 Service Unavailable", [("X-Away", "b")])


def test_who_does_not_answer_is_not_asked_again_at_once(owner: str) -> None:
    nobody = plan_for("http://127.0.0.1:9")
    assert ask(nobody)[0] == ask(plan_for(owner))[0] == "503 Service Unavailable"
    forwarding._circuits()["b"] = 0.0
    assert ask(plan_for(owner))[0] == "418 I'm a teapot"


def test_an_empty_path_is_the_root() -> None:
    assert target_of({"PATH_INFO": "/", "QUERY_STRING": "x=1&y"}) == "/?x=1&y"
