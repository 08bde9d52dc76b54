"""ModelServer: answers the models socket, queries beside bulk, one thread for each connection."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any, Literal, cast

import numpy as np

from search.errors import ModelUnavailable
from search.runtime.deadline import Deadline
from search.runtime.llama import LlamaEmbedder
from search.runtime.llama_generator import LlamaGenerator
from search.runtime.protocols import Bits, Message, Vectors
from search.runtime.resident import resident_bytes
from search.sentences import sentence
from workers.model_loader import Failed, ModelLoader, Ready
from workers.model_shelf import ModelShelf
from workers.model_status import ModelStatus
from workers.wire import Request, WireClosed, WireError, pack, pack_bits, receive, send, wait_readable

log = logging.getLogger(__name__)

MAX_CONNECTIONS = 64
_FRAME_SECONDS = 10.0
"""How long a peer may take for the rest of a frame it began, or for taking a reply."""

_REFUSAL_SECONDS = 1.0
_BULK_NICENESS = 10
_ACCEPT_PAUSE = 0.5


class ModelServer:
    """Serves until the process ends. Bulk runs on one thread of low priority and takes turns text by text, so that
    several clients share it fairly; a query runs on its connection's thread, in its own context.
    """

    def __init__(
        self, listener: socket.socket, loader: ModelLoader, shelf: ModelShelf, *, max_connections: int = MAX_CONNECTIONS
    ) -> None:
        """`loader` brings up the embedder that is always there, `shelf` every other model when it is asked for."""
        self._listener = listener
        self._loader = loader
        self._shelf = shelf
        self._slots = threading.BoundedSemaphore(max_connections)
        self._bulk = ThreadPoolExecutor(1, "bulk", initializer=_lower_priority)
        self._refusals = ThreadPoolExecutor(1, "refusals")
        self._started = time.monotonic()
        self._count_lock = threading.Lock()
        self._embedded = 0

    def start(self) -> None:
        threading.Thread(target=self._accept, name="accept", daemon=True).start()

    def _accept(self) -> None:
        while self._listener.fileno() >= 0:
            try:
                connection, _ = self._listener.accept()
            except OSError as error:  # above all: no file descriptors left; clients that hang up free some
                log.error("cannot accept a client: %s", error)
                time.sleep(_ACCEPT_PAUSE)
                continue
            if self._slots.acquire(blocking=False):
                threading.Thread(target=self._serve, args=(connection,), name="connection", daemon=True).start()
            else:
                self._refusals.submit(_refuse, connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                while wait_readable(connection, None):
                    self._exchange(connection)
        except (WireClosed, ConnectionError):
            pass  # the client is done, or did not wait for its reply
        except (OSError, WireError) as error:
            log.warning("a client's connection was dropped: %s", error or type(error).__name__)
        finally:
            self._slots.release()

    def _exchange(self, connection: socket.socket) -> None:
        """One request and its reply. A frame that cannot be understood is answered and ends the connection."""
        try:
            request = Request.parse(receive(connection, deadline=time.monotonic() + _FRAME_SECONDS)[0])
        except WireClosed:
            raise
        except WireError as error:
            _reply(connection, {"error": f"bad request: {error}", "hint": ""})
            raise
        try:
            reply, payload = self._answer(request, connection)
        except ModelUnavailable as error:
            reply, payload = {"error": error.message, "hint": error.hint}, b""
        # Another model's vectors carry its own identity; an error about it must not pass for one of the loader's.
        if not request.model or request.model == self._loader.identity.model:
            reply = {"identity": asdict(self._loader.identity), **reply}
        _reply(connection, reply, payload)

    def _answer(self, request: Request, connection: socket.socket) -> tuple[dict[str, Any], bytes]:
        deadline = Deadline(request.timeout)
        match request.operation:
            case "rerank":
                with self._shelf.reranker(request.model, deadline) as reranker:
                    query, *documents = request.texts
                    return {"scores": list(reranker.rerank(query, documents, timeout=deadline.left()))}, b""
            case "generate":
                with self._shelf.generator(request.model, deadline) as generator:
                    return {"text": self._write(generator, request, deadline)}, b""
            case "status" if not request.model:
                return {"status": asdict(self._status())}, b""
            case _:
                with self._embedder(request.model, deadline) as embedder:
                    return self._with_vectors(embedder, request, connection)

    def _write(self, generator: LlamaGenerator, request: Request, deadline: Deadline) -> str:
        roles = cast(tuple[Literal["system", "user", "assistant"], ...], request.roles)
        messages = [Message(role, text) for role, text in zip(roles, request.texts, strict=True)]
        return generator.generate(
            messages,
            max_tokens=request.max_tokens,
            timeout=deadline.left(),
            json_schema=request.json_schema,
            thinking=request.thinking,
        )

    def _with_vectors(
        self, embedder: LlamaEmbedder, request: Request, connection: socket.socket
    ) -> tuple[dict[str, Any], bytes]:
        """Vectors, and whose they are; the status of one model is that alone."""
        identity = {"identity": asdict(embedder.identity())}
        if request.operation == "status":
            return {**identity, "status": asdict(self._status())}, b""
        if request.operation == "embed_query":
            vector, tokens = embedder.embed_query_with_tokens(request.texts[0], timeout=request.timeout)
            vectors, reply, payload = vector[np.newaxis], {}, b""
            if request.tokens and tokens is not None:
                reply = {"tokens": {"pieces": tokens.pieces, "width": tokens.vectors.shape[1]}}
                payload = pack(tokens.vectors)
        else:
            vectors, bits = self._embed_documents(embedder, request, connection)
            reply, payload = {}, b""
            if request.tokens and bits:
                described, payload = pack_bits(bits)
                reply = {"tokens": described}
        with self._count_lock:
            self._embedded += len(vectors)
        return {**identity, "rows": len(vectors), **reply}, pack(vectors) + payload

    def _embed_documents(
        self, embedder: LlamaEmbedder, request: Request, connection: socket.socket
    ) -> tuple[Vectors, list[Bits]]:
        """Text by text; given up as soon as the deadline has passed or the client has hung up. No bits: the model
        has none."""
        deadline = Deadline(request.timeout)
        vectors = np.empty((len(request.texts), embedder.identity().dims), dtype=np.float32)
        bits: list[Bits] = []
        for row, text in enumerate(request.texts):
            future = self._bulk.submit(embedder.embed_documents_with_tokens, [text], timeout=deadline.left())
            try:
                (vectors[row],), of_text = future.result(timeout=deadline.left())
            except FutureTimeout as error:
                future.cancel()
                raise deadline.passed() from error
            bits += of_text or ()
            if wait_readable(connection, 0):
                raise WireClosed(sentence("the client did not wait for its vectors"))
        return vectors, bits

    @contextmanager
    def _embedder(self, model: str, deadline: Deadline) -> Iterator[LlamaEmbedder]:
        if model and model != self._loader.identity.model:
            with self._shelf.embedder(model, deadline) as embedder:
                yield embedder
            return
        state = self._loader.state
        if not isinstance(state, Ready):
            verb = "failed" if isinstance(state, Failed) else f"is still {state.name}"
            raise ModelUnavailable(
                sentence("the local model {verb}: {detail}", verb=verb, detail=state.detail), hint=state.hint
            )
        yield state.embedder

    def _status(self) -> ModelStatus:
        identity, state = self._loader.identity, self._loader.state
        return ModelStatus(
            state=state.name,
            detail=state.detail,
            hint=state.hint,
            model=identity.model,
            dims=identity.dims,
            fingerprint=identity.fingerprint,
            rss_bytes=resident_bytes(),
            embedded=self._embedded,
            tokens=state.embedder.tokens if isinstance(state, Ready) else 0,
            uptime_seconds=time.monotonic() - self._started,
            pid=os.getpid(),
            models=self._shelf.described(),
        )


def _reply(connection: socket.socket, header: dict[str, Any], payload: bytes = b"") -> None:
    send(connection, header, payload, deadline=time.monotonic() + _FRAME_SECONDS)


def _refuse(connection: socket.socket) -> None:
    """Tell a client beyond the limit why. Its request is read first: closing over unread data would lose the reply."""
    with connection, suppress(OSError, WireError):
        receive(connection, deadline=time.monotonic() + _REFUSAL_SECONDS)
        _reply(
            connection,
            {"error": sentence("the models process has too many clients"), "hint": sentence("Try again in a moment.")},
        )


def _lower_priority() -> None:
    """Let everything else on the machine go before bulk. On Linux a thread has a priority of its own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _BULK_NICENESS)
