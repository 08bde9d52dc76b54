"""Callers that are many, slow or huge keep nobody else out of the running server."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from urllib.error import HTTPError

import pytest

from tests.integration.stack.server import KEY, Server, until

pytestmark = pytest.mark.stack

POST = (
    "POST /api/v1/agents/crowded/search HTTP/1.1\r\nHost: localhost\r\n"
    f"Authorization: Bearer {KEY}\r\nContent-Type: application/json\r\n"
).encode()


@contextmanager
def connections(server: Server, count: int, first: bytes) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        made = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 5)) for _ in range(count)]
        for connection in made:
            connection.sendall(first)
        yield made


def slowest_of(server: Server, searches: int) -> float:
    slowest = 0.0
    for number in range(searches):
        began = time.monotonic()
        server.search("crowded", f"nothing {number}")
        slowest = max(slowest, time.monotonic() - began)
    return slowest


@pytest.fixture
def crowded(server: Server) -> Server:
    with suppress(HTTPError):  # the test before has made it
        server.agent("crowded")
    return server


@pytest.mark.parametrize("first", [b"", b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n"])
def test_a_thousand_silent_connections_keep_nobody_out(crowded: Server, first: bytes) -> None:
    with connections(crowded, 1000, first):
        assert slowest_of(crowded, 10) < 5


def test_senders_of_slow_bodies_keep_nobody_out(crowded: Server) -> None:
    with connections(crowded, 40, POST + b"Content-Length: 1000\r\n\r\n{") as slow:
        assert slowest_of(crowded, 10) < 5
        for connection in slow:
            connection.sendall(b'"query": "nothing"' + b" " * 980 + b"}")
        assert {connection.recv(1000)[:15] for connection in slow} == {b"HTTP/1.1 200 OK"}


def test_huge_bodies_are_refused_unread(crowded: Server) -> None:
    with connections(crowded, 1, POST + b"Content-Length: 1000000000000\r\n\r\n") as (announced,):
        assert announced.recv(1000).startswith(b"HTTP/1.1 413")
    with connections(crowded, 1, POST + b"Transfer-Encoding: chunked\r\n\r\n") as (endless,):
        with suppress(OSError):
            for _ in range(1000):
                endless.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        with suppress(ConnectionResetError):
            assert endless.recv(1000).startswith(b"HTTP/1.1 413")
    assert until("answers", lambda: crowded.search("crowded", "nothing"), 5)


def test_a_crowd_is_answered_or_told_when_to_come_again(crowded: Server) -> None:
    body = b'{"query": "nothing"}'
    request = POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    with connections(crowded, 700, request) as crowd:
        began = time.monotonic()
        assert crowded.health() is not None and time.monotonic() - began < 5
        answers = [_whole(connection) for connection in crowd]
    statuses = {answer[9:12] for answer in answers}
    assert "200" in statuses and statuses <= {"200", "429"}
    assert all("retry-after: " in answer.lower() for answer in answers if answer[9:12] == "429")


def _whole(connection: socket.socket) -> str:
    connection.settimeout(60)
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts).decode()
