"""ModelsClient: the models process as an Embedder, over its Unix socket, with every wait bounded."""

from __future__ import annotations

import dataclasses
import os
import socket
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from search.errors import EmbedderUnavailable
from search.runtime.deadline import Deadline
from search.runtime.protocols import Bits, QueryTokens, Vectors
from search.runtime.vectors import is_usable
from search.sentences import sentence
from search.spec import EmbeddingIdentity
from workers.model_connections import ModelConnections
from workers.model_status import ModelStateName, ModelStatus
from workers.wire import (
    FLOAT_BYTES,
    MAX_TEXT_CHARS,
    MAX_TEXTS,
    Operation,
    Request,
    WireClosed,
    WireError,
    receive,
    send,
    unpack,
    unpack_bits,
)

STATUS_SECONDS = 1.0

_Reply = tuple[dict[str, Any], bytes]
T = TypeVar("T")


class ModelsClient:
    """Safe from any number of threads, and usable in a forked child.

    Connections are kept and shared, vectors are not (`OwnQueries`). Every failure is `EmbedderUnavailable` with the
    reason, raised at the latest when the timeout has passed; `status` never raises.
    """

    def __init__(self, socket_path: Path, *, model: str = "") -> None:
        """`model` "": the one that the process itself has chosen for embedding."""
        self._path = socket_path
        self._model = model
        self._identity: EmbeddingIdentity | None = None
        self._start_over()
        _clients.add(self)

    def _start_over(self) -> None:
        """Fresh locks and no connections: those of a parent process must not be shared with it."""
        self._connections = ModelConnections(self._path)

    def identity(self) -> EmbeddingIdentity:
        """Asked anew only when the connection was lost; the last one known while nobody answers."""
        if self._identity is None or not self._connections.any_alive():
            try:
                self._exchange(Request("status", model=self._model), Deadline(STATUS_SECONDS))
            except EmbedderUnavailable:
                if self._identity is None:
                    raise
        if self._identity is None:
            raise EmbedderUnavailable(sentence("the models process did not say which model it runs"))
        return self._identity

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        vectors, _, _ = self._embed("embed_query", (text,), Deadline(timeout), tokens=False)
        vector: Vectors = vectors[0]
        return vector

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return self._embed_all(texts, Deadline(timeout), tokens=False)[0]

    def embed_query_with_tokens(self, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens | None]:
        vectors, described, rest = self._embed("embed_query", (text,), Deadline(timeout), tokens=True)
        return vectors[0], None if described is None else _query_tokens(described, rest)

    def embed_documents_with_tokens(
        self, texts: Sequence[str], *, timeout: float
    ) -> tuple[Vectors, tuple[Bits, ...] | None]:
        return self._embed_all(texts, Deadline(timeout), tokens=True)

    def _embed_all(
        self, texts: Sequence[str], deadline: Deadline, *, tokens: bool
    ) -> tuple[Vectors, tuple[Bits, ...] | None]:
        if not texts:
            return np.empty((0, self.identity().dims), dtype=np.float32), None
        vectors: list[Vectors] = []
        bits: list[Bits] = []
        for part in _portions(texts):
            rows, described, rest = self._embed("embed_documents", part, deadline, tokens=tokens)
            vectors.append(rows)
            if described is not None:
                bits += _understood(unpack_bits, described, rest, texts=len(part))
        return np.concatenate(vectors), tuple(bits) if len(bits) == len(texts) else None

    def status(self) -> ModelStatus:
        """Within a second; `down` with the reason when nobody answers."""
        self._connections.forget_failure()
        try:
            header, _ = self._exchange(Request("status"), Deadline(STATUS_SECONDS))
            return _status(header)
        except EmbedderUnavailable as error:
            return ModelStatus("down", detail=error.message, hint=error.hint)

    def close(self) -> None:
        """Close the idle connections; the client stays usable."""
        self._connections.close()

    def _embed(
        self, operation: Operation, texts: tuple[str, ...], deadline: Deadline, *, tokens: bool
    ) -> tuple[Vectors, object, bytes]:
        """Vectors; what the reply says of the tokens, None when it brings none; and their part of the payload."""
        header, payload = self._exchange(Request(operation, texts, model=self._model, tokens=tokens), deadline)
        dims = _identity(header).dims
        described = header.get("tokens")
        end = len(payload) if described is None else len(texts) * dims * FLOAT_BYTES
        vectors = _understood(unpack, payload[:end], rows=len(texts), dims=dims)
        if not is_usable(vectors, rows=len(texts), dims=dims):
            raise _nonsense("a vector is zero or not finite")
        return vectors, described, payload[end:]

    def ask(self, request: Request) -> dict[str, Any]:
        """The header of the reply to any request. Raises `EmbedderUnavailable`, whatever the request was about."""
        return self._exchange(request, Deadline(request.timeout))[0]

    def _exchange(self, request: Request, deadline: Deadline) -> _Reply:
        """Ask and wait for the reply. A kept connection that turns out to be dead is replaced once."""
        kept = self._connections.take()
        if kept is not None:
            try:
                return self._ask(kept, request, deadline)
            except (ConnectionError, WireClosed):
                pass  # the process was restarted: the new one is asked below
        try:
            return self._ask(self._connections.connect(deadline), request, deadline)
        except (ConnectionError, WireClosed) as error:
            raise EmbedderUnavailable(
                sentence("the models process ended while it was asked"),
                hint=sentence("It is started again by itself; try again."),
            ) from error

    def _ask(self, connection: socket.socket, request: Request, deadline: Deadline) -> _Reply:
        complete = False
        try:
            send(connection, replace(request, timeout=deadline.left()).header(), deadline=deadline.end)
            header, payload = receive(connection, deadline=deadline.end)
            complete = True
        except TimeoutError as error:
            raise deadline.passed() from error
        except WireClosed:
            raise
        except WireError as error:
            raise _nonsense(str(error)) from error
        finally:
            # A reply that comes too late must not be taken for the next one's: only clean connections are kept.
            if complete:
                self._connections.give_back(connection)
            else:
                connection.close()
        if "identity" in header:
            self._identity = _identity(header)
        if "error" in header:
            raise EmbedderUnavailable(str(header["error"]), hint=str(header.get("hint", "")))
        return header, payload


def _portions(texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """`texts` in requests that stay within the protocol's limits."""
    portion: list[str] = []
    size = 0
    for text in texts:
        if len(text) > MAX_TEXT_CHARS:
            raise EmbedderUnavailable(sentence("a text of {count} characters is too long to embed", count=len(text)))
        if portion and (len(portion) == MAX_TEXTS or size + len(text) > MAX_TEXT_CHARS):
            yield tuple(portion)
            portion, size = [], 0
        portion.append(text)
        size += len(text)
    yield tuple(portion)


def _identity(header: Mapping[str, Any]) -> EmbeddingIdentity:
    values = _fields(EmbeddingIdentity, header.get("identity"))
    if values["dims"] < 1:
        raise _nonsense("a model without dimensions")
    return EmbeddingIdentity(**values)


def _status(header: Mapping[str, Any]) -> ModelStatus:
    values = _fields(ModelStatus, header.get("status"))
    if values["state"] not in get_args(ModelStateName):
        raise _nonsense("an unknown state")
    return ModelStatus(**values)


_FIELD_TYPES = {"int": int, "float": int | float, "list[dict[str, Any]]": list}


def _fields(kind: type, values: object) -> dict[str, Any]:
    """The values of a dataclass of plain strings and numbers, as they came over the wire, checked."""
    if not isinstance(values, dict):
        raise _nonsense(f"no {kind.__name__}")
    fields = {field.name: str(field.type) for field in dataclasses.fields(kind)}
    if set(values) != set(fields) or not all(
        isinstance(values[name], _FIELD_TYPES.get(type_name, str)) for name, type_name in fields.items()
    ):
        raise _nonsense(f"an incomplete {kind.__name__}")
    return values


def _understood(read: Callable[..., T], *parts: object, **sizes: int) -> T:
    try:
        return read(*parts, **sizes)
    except WireError as error:
        raise _nonsense(str(error)) from error


def _query_tokens(described: object, payload: bytes) -> QueryTokens:
    pieces, width = (described.get("pieces"), described.get("width")) if isinstance(described, dict) else (None, None)
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces) or type(width) is not int:
        raise _nonsense("the tokens of a query are not as described")
    vectors = _understood(unpack, payload, rows=len(pieces), dims=width)
    if not np.isfinite(vectors).all():
        raise _nonsense("a token's vector is not finite")
    return QueryTokens(tuple(pieces), vectors)


def _nonsense(detail: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(
        sentence("the models process gave an answer that cannot be used: {detail}", detail=detail),
        hint=sentence("Restart the server."),
    )


_clients: weakref.WeakSet[ModelsClient] = weakref.WeakSet()


def _after_fork() -> None:
    for client in _clients:
        client._start_over()


os.register_at_fork(after_in_child=_after_fork)
