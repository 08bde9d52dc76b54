"""The models socket's messages: a JSON header and raw float32 vectors, each with its length, in one frame.

Plain sockets, because every step (connect, send, each part of a reply) must honour a deadline; JSON and raw floats,
because nothing that arrives may be executed. Texts travel inside the header, escaped to ASCII, so that even a lone
surrogate survives.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

import numpy as np

from search.runtime.protocols import Bits, Thinking, Vectors

PROTOCOL = 1
MAX_HEADER = 16 * 1024 * 1024
MAX_PAYLOAD = 16 * 1024 * 1024
MAX_TEXTS = 64
MAX_TEXT_CHARS = 2 * 1024 * 1024
"""Characters in all texts of one request together."""

Operation = Literal["status", "embed_query", "embed_documents", "rerank", "generate"]
MAX_NEW_TOKENS = 4096
_ROLES = ("system", "user", "assistant")
_LONGEST_TIMEOUT = 3600.0
_LENGTHS = struct.Struct("!II")
_FLOAT = np.dtype("<f4")
FLOAT_BYTES = _FLOAT.itemsize


class WireError(Exception):
    """The other side does not speak this protocol, or exceeds its limits."""


class WireClosed(WireError):
    """The other side hung up."""


@dataclass(frozen=True, slots=True)
class Request:
    """`timeout` is in seconds, counted by the server from the arrival of the request.

    `model` "" is the server's own choice. `rerank`: the query, then the documents. `generate`: the messages' texts,
    with a role for each.
    """

    operation: Operation
    texts: tuple[str, ...] = ()
    timeout: float = 1.0
    model: str = ""
    roles: tuple[str, ...] = ()
    max_tokens: int = 0
    json_schema: Mapping[str, Any] | None = None
    thinking: Thinking = "off"
    tokens: bool = False
    """Whether vectors of single tokens are wanted beside those of the texts."""

    def header(self) -> dict[str, Any]:
        header: dict[str, Any] = {"operation": self.operation, "texts": self.texts, "timeout": self.timeout}
        if self.model:
            header["model"] = self.model
        if self.tokens:
            header["tokens"] = True
        if self.operation == "generate":
            header |= {"roles": self.roles, "max_tokens": self.max_tokens, "json_schema": self.json_schema}
            header["thinking"] = self.thinking
        return header

    @staticmethod
    def parse(header: Mapping[str, Any]) -> Request:
        """Validate a header that came over the wire; `WireError` names the part that is wrong."""
        operation, texts, timeout = header.get("operation"), header.get("texts"), header.get("timeout")
        if operation not in get_args(Operation):
            raise WireError("unknown operation")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise WireError("texts must be a list of strings")
        if len(texts) > MAX_TEXTS or sum(map(len, texts)) > MAX_TEXT_CHARS:
            raise WireError("too many texts, or too long ones, in one request")
        if operation == "embed_query" and len(texts) != 1:
            raise WireError("embed_query takes one text")
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= _LONGEST_TIMEOUT:
            raise WireError("timeout must be seconds between 0 and 3600")
        model = header.get("model", "")
        if not isinstance(model, str):
            raise WireError("model must be text")
        tokens = header.get("tokens") is True
        request = Request(cast(Operation, operation), tuple(texts), float(timeout), model, tokens=tokens)
        if operation == "rerank" and not texts:
            raise WireError("rerank takes a query")
        return _with_conversation(request, header) if operation == "generate" else request


def _with_conversation(request: Request, header: Mapping[str, Any]) -> Request:
    roles, max_tokens, schema = header.get("roles"), header.get("max_tokens"), header.get("json_schema")
    if not isinstance(roles, list) or len(roles) != len(request.texts) or not set(roles) <= set(_ROLES) or not roles:
        raise WireError("generate takes one role of system, user, assistant for each text")
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or not 0 < max_tokens <= MAX_NEW_TOKENS:
        raise WireError(f"max_tokens must be between 1 and {MAX_NEW_TOKENS}")
    if schema is not None and not isinstance(schema, dict):
        raise WireError("json_schema must be an object")
    thinking = header.get("thinking", "off")
    if thinking not in get_args(Thinking):
        raise WireError(f"thinking must be one of {', '.join(get_args(Thinking))}")
    return replace(request, roles=tuple(roles), max_tokens=max_tokens, json_schema=schema, thinking=thinking)


def send(connection: socket.socket, header: Mapping[str, Any], payload: bytes = b"", *, deadline: float) -> None:
    """Send one frame before the monotonic time `deadline`, or raise `TimeoutError`."""
    text = json.dumps({"protocol": PROTOCOL, **header}).encode()
    if len(text) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise WireError("the message is too large")
    connection.settimeout(_left(deadline))
    connection.sendall(_LENGTHS.pack(len(text), len(payload)) + text + payload)


def receive(connection: socket.socket, *, deadline: float) -> tuple[dict[str, Any], bytes]:
    """Receive one frame before `deadline`, or raise `TimeoutError`, `WireClosed` or `WireError`."""
    header_size, payload_size = _LENGTHS.unpack(_receive_exactly(connection, _LENGTHS.size, deadline))
    if header_size > MAX_HEADER or payload_size > MAX_PAYLOAD:
        raise WireError("the message is too large")
    text = _receive_exactly(connection, header_size, deadline)
    payload = _receive_exactly(connection, payload_size, deadline)
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError("the header is not JSON") from error
    if not isinstance(header, dict):
        raise WireError("the header is not an object")
    if header.get("protocol") != PROTOCOL:
        raise WireError("another version of the protocol: restart the server so that all its parts are of one version")
    return header, bytes(payload)


def _receive_exactly(connection: socket.socket, size: int, deadline: float) -> bytearray:
    received = bytearray()
    while len(received) < size:
        connection.settimeout(_left(deadline))
        part = connection.recv(min(size - len(received), 1 << 20))
        if not part:
            raise WireClosed("the connection was closed")
        received += part
    return received


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def wait_readable(connection: socket.socket, seconds: float | None) -> bool:
    """Whether something (also the end of the connection) can be read within `seconds`; None waits for ever."""
    poll = select.poll()  # select.select() cannot watch descriptors above 1023
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(None if seconds is None else max(0, round(seconds * 1000))))


def pack(vectors: Vectors) -> bytes:
    """Vectors of shape (n, dims) as raw little-endian float32, row by row."""
    return vectors.astype(_FLOAT, copy=False).tobytes()


def unpack(payload: bytes, *, rows: int, dims: int) -> Vectors:
    """The vectors of a reply, shape (rows, dims); `WireError` when the size does not fit."""
    if len(payload) != rows * dims * _FLOAT.itemsize:
        raise WireError(f"{len(payload)} bytes are not {rows} vectors of {dims} dimensions")
    return np.frombuffer(payload, _FLOAT).astype(np.float32).reshape(rows, dims)


def pack_bits(bits: Sequence[Bits]) -> tuple[dict[str, Any], bytes]:
    """Bits of the tokens of several texts: what the header says of them, and the rows one after another."""
    width = bits[0].shape[1] if bits else 0
    return {"width": width, "rows": [len(rows) for rows in bits]}, b"".join(rows.tobytes() for rows in bits)


def unpack_bits(described: object, payload: bytes, *, texts: int) -> tuple[Bits, ...]:
    """The bits of a reply, one array of shape (n, width) per text; `WireError` when they do not fit."""
    width, rows = (described.get("width"), described.get("rows")) if isinstance(described, dict) else (None, None)
    if (
        not isinstance(width, int)
        or not isinstance(rows, list)
        or len(rows) != texts
        or not all(type(count) is int and count >= 0 for count in rows)
        or len(payload) != width * sum(rows)
        or width < 1
    ):
        raise WireError("the bits of the tokens are not as described")
    ends = np.cumsum(rows)[:-1]
    return tuple(np.split(np.frombuffer(payload, np.uint8).reshape(-1, width), ends))
