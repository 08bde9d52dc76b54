"""ModelServer: answers the models socket, queries beside bulk, one thread for each connection."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np

from search.errors import EmbedderUnavailable
from search.runtime.deadline import Deadline
from search.runtime.llama import LlamaEmbedder
from search.runtime.protocols import Vectors
from search.runtime.resident import resident_bytes
from workers.model_loader import Failed, ModelLoader, Ready
from workers.model_status import ModelStatus
from workers.wire import Request, WireClosed, WireError, pack, receive, send, wait_readable

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

    def __init__(self, listener: socket.socket, loader: ModelLoader, *, max_connections: int = MAX_CONNECTIONS) -> None:
        self._listener = listener
        self._loader = loader
        self._slots = threading.BoundedSemaphore(max_connections)
        self._bulk = ThreadPoolExecutor(1, "bulk", initializer=_lower_priority)
        self._refusals = ThreadPoolExecutor(1, "refusals")
        self._started = time.monotonic()
        self._count_lock = threading.Lock()
        self._embedded = 0

    def start(self) -> None:
        threading.Thread(target=self._accept, name="accept", daemon=True).start()

    def _accept(self) -> None:
        while True:
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
        except EmbedderUnavailable as error:
            reply, payload = {"error": error.message, "hint": error.hint}, b""
        _reply(connection, {**reply, "identity": asdict(self._loader.identity)}, payload)

    def _answer(self, request: Request, connection: socket.socket) -> tuple[dict[str, Any], bytes]:
        if request.operation == "status":
            return {"status": asdict(self._status())}, b""
        embedder = self._embedder()
        if request.operation == "embed_query":
            vectors = embedder.embed_query(request.texts[0], timeout=request.timeout)[np.newaxis]
        else:
            vectors = self._embed_documents(embedder, request, connection)
        with self._count_lock:
            self._embedded += len(vectors)
        return {"rows": len(vectors)}, pack(vectors)

    def _embed_documents(self, embedder: LlamaEmbedder, request: Request, connection: socket.socket) -> Vectors:
        """Text by text; given up as soon as the deadline has passed or the client has hung up."""
        deadline = Deadline(request.timeout)
        vectors = np.empty((len(request.texts), self._loader.identity.dims), dtype=np.float32)
        for row, text in enumerate(request.texts):
            future = self._bulk.submit(embedder.embed_documents, [text], timeout=deadline.left())
            try:
                vectors[row] = future.result(timeout=deadline.left())[0]
            except FutureTimeout as error:
                future.cancel()
                raise deadline.passed() from error
            if wait_readable(connection, 0):
                raise WireClosed("the client did not wait for its vectors")
        return vectors

    def _embedder(self) -> LlamaEmbedder:
        state = self._loader.state
        if isinstance(state, Ready):
            return state.embedder
        verb = "failed" if isinstance(state, Failed) else f"is still {state.name}"
        raise EmbedderUnavailable(f"the local model {verb}: {state.detail}", hint=state.hint)

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
        )


def _reply(connection: socket.socket, header: dict[str, Any], payload: bytes = b"") -> None:
    send(connection, header, payload, deadline=time.monotonic() + _FRAME_SECONDS)


def _refuse(connection: socket.socket) -> None:
    """Tell a client beyond the limit why. Its request is read first: closing over unread data would lose the reply."""
    with connection, suppress(OSError, WireError):
        receive(connection, deadline=time.monotonic() + _REFUSAL_SECONDS)
        _reply(connection, {"error": "the models process has too many clients", "hint": "Try again in a moment."})


def _lower_priority() -> None:
    """Let everything else on the machine go before bulk. On Linux a thread has a priority of its own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _BULK_NICENESS)
