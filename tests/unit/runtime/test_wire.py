"""Frames survive the wire exactly; everything else that arrives is refused."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from workers.wire import MAX_HEADER, PROTOCOL, Request, WireClosed, WireError, pack, receive, send, unpack

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    left, right = socket.socketpair()
    with left, right:
        yield left, right


def soon(seconds: float = 2.0) -> float:
    return time.monotonic() + seconds


def frame(text: bytes, payload: bytes = b"") -> bytes:
    return struct.pack("!II", len(text), len(payload)) + text + payload


@pytest.mark.parametrize("text", ["", "plain", "备用钥匙", "\0", "\ud800", "👨‍👩‍👧", '"}{\\'])
def test_any_text_and_its_payload_arrive_unchanged(pair: Pair, text: str) -> None:
    send(pair[0], Request("embed_query", (text,), 1.5).header(), b"\x00\x01", deadline=soon())
    header, payload = receive(pair[1], deadline=soon())
    assert Request.parse(header) == Request("embed_query", (text,), 1.5)
    assert payload == b"\x00\x01"


def test_vectors_arrive_exactly() -> None:
    vectors = np.random.default_rng(7).normal(size=(3, 384)).astype(np.float32)
    assert np.array_equal(unpack(pack(vectors), rows=3, dims=384), vectors)


def test_vectors_of_another_size_are_refused() -> None:
    with pytest.raises(WireError, match="not 3 vectors of 384"):
        unpack(bytes(12), rows=3, dims=384)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (frame(b"not json"), "not JSON"),
        (frame(b"\xff\xfe"), "not JSON"),
        (frame(b"[" * 100_000), "not JSON"),
        (frame(b"[1]"), "not an object"),
        (frame(b"{}"), "another version"),
        (frame(json.dumps({"protocol": PROTOCOL + 1}).encode()), "another version"),
        (struct.pack("!II", MAX_HEADER + 1, 0), "too large"),
        (b"GET / HTTP/1.1\r\n\r\n", "too large"),
    ],
    ids=["text", "bytes", "deep", "list", "no version", "newer", "huge", "http"],
)
def test_what_is_not_a_frame_is_refused(pair: Pair, sent: bytes, words: str) -> None:
    pair[0].settimeout(2.0)
    pair[0].sendall(sent)
    with pytest.raises(WireError, match=words):
        receive(pair[1], deadline=soon())


@pytest.mark.parametrize("sent", [b"", b"\0\0", frame(b"{}")[:-1]], ids=["nothing", "half a length", "half a frame"])
def test_hanging_up_is_told_from_nonsense(pair: Pair, sent: bytes) -> None:
    pair[0].sendall(sent)
    pair[0].close()
    with pytest.raises(WireClosed):
        receive(pair[1], deadline=soon())


@pytest.mark.parametrize("sent", [b"", b"\0\0", frame(b"{}")[:-1]], ids=["nothing", "half a length", "half a frame"])
def test_waiting_ends_at_the_deadline(pair: Pair, sent: bytes) -> None:
    pair[0].sendall(sent)
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        receive(pair[1], deadline=soon(0.2))
    assert 0.19 <= time.monotonic() - start < 0.5


def test_sending_to_one_who_does_not_read_ends_at_the_deadline(pair: Pair) -> None:
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        send(pair[0], {}, bytes(8_000_000), deadline=soon(0.2))
    assert time.monotonic() - start < 0.5


@pytest.mark.parametrize(
    "change",
    [
        {"operation": "exec"},
        {"operation": None},
        {"operation": ["status"]},
        {"texts": "text"},
        {"texts": [1]},
        {"texts": None},
        {"texts": ["a", "b"]},
        {"texts": []},
        {"texts": ["a" * 3_000_000]},
        {"operation": "embed_documents", "texts": ["a"] * 65},
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": "1"},
        {"timeout": True},
        {"timeout": float("nan")},
        {"timeout": float("inf")},
        {"timeout": None},
    ],
    ids=str,
)
def test_a_wrong_request_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        Request.parse({**Request("embed_query", ("a",)).header(), "texts": ["a"], **change})
