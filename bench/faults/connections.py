"""Faults of callers: many silent connections, senders that are slow, bodies that are huge."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack, suppress

from bench.faults.stage import AGENT
from tests.integration.stack.server import KEY, Server

SECONDS = 10.0
HEADERS = b"GET /api/v1/agents HTTP/1.1\r\nHost: localhost\r\n"
POST = (
    f"POST /api/v1/agents/{AGENT}/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n"
    "Content-Type: application/json\r\n"
).encode()


def hold(server: Server, count: int, first: bytes, drip: bytes) -> None:
    """`count` connections that say `first` and then `drip` once a second."""
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 5)) for _ in range(count)
        ]
        for connection in connections:
            connection.sendall(first)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for connection in connections if drip else ():
                with suppress(OSError):
                    connection.sendall(drip)
            time.sleep(1)


def silent(server: Server) -> None:
    hold(server, 1000, b"", b"")


def slow_headers(server: Server) -> None:
    hold(server, 1000, HEADERS, b"X-Slow: yes\r\n")


def slow_bodies(server: Server) -> None:
    hold(server, 300, POST + b"Content-Length: 100000\r\n\r\n{", b" ")


def huge_bodies(server: Server) -> None:
    """Announced, in chunks without an end, and deeply nested, twenty times each."""
    nested = b'{"query":' + b"[" * 400_000 + b"]" * 400_000 + b"}"
    for _ in range(20):
        _send(server, POST + b"Content-Length: 1000000000000\r\n\r\n", b"x" * 65536, 200)
        _send(server, POST + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n", 200)
        _send(server, POST + b"Content-Length: %d\r\n\r\n" % len(nested), nested, 1)


def _send(server: Server, head: bytes, part: bytes, times: int) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 5) as connection, suppress(OSError):
        connection.sendall(head)
        for _ in range(times):
            connection.sendall(part)
        connection.recv(1000)
