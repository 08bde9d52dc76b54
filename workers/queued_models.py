"""The model protocols over the broker: a reranker, a generator, and an embedder that shares bulk work with others."""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from search.errors import EmbedderUnavailable, GeneratorUnavailable, RerankerUnavailable
from search.runtime.fingerprint import PROVIDER
from search.runtime.protocols import Bits, Embedder, Message, QueryTokens, Thinking, Vectors
from search.runtime.tokens import embed_documents_with_tokens, embed_query_with_tokens
from search.runtime.vectors import is_usable
from search.sentences import sentence
from search.spec import EmbeddingIdentity
from workers.model_jobs import JobRefused, ModelJobs
from workers.queues import BULK, GENERATE, RERANK
from workers.wire import WireError, pack_bits, unpack_bits

JOB_SECONDS = 30.0
"""A slice that another machine has not embedded by then is embedded here."""
MOST_LANES = 8


class QueuedReranker:
    """A local reranker of whichever machine is free; `model` "" is the one that is installed there."""

    def __init__(self, jobs: ModelJobs, model: str) -> None:
        self._jobs = jobs
        self._model = model

    @property
    def name(self) -> str:
        return _name(self._model)

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> tuple[float, ...]:
        try:
            body = {"model": self._model, "query": query, "documents": list(documents)}
            answer = self._jobs.run(RERANK, body, timeout=timeout)
        except JobRefused as error:
            raise RerankerUnavailable(error.message, hint=error.hint) from error
        scores = answer.get("scores")
        if not isinstance(scores, list) or len(scores) != len(documents):
            raise RerankerUnavailable(
                sentence("the reranking worker gave another number of scores than there are documents")
            )
        return tuple(float(score) for score in scores)


class QueuedGenerator:
    """A local generator of whichever machine is free; `model` "" is the one that is installed there."""

    def __init__(self, jobs: ModelJobs, model: str) -> None:
        self._jobs = jobs
        self._model = model

    @property
    def name(self) -> str:
        return _name(self._model)

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout: float,
        json_schema: Mapping[str, Any] | None = None,
        thinking: Thinking = "off",
    ) -> str:
        body = {
            "model": self._model,
            "messages": [asdict(message) for message in messages],
            "max_tokens": max_tokens,
            "json_schema": dict(json_schema) if json_schema is not None else None,
            "thinking": thinking,
        }
        try:
            return str(self._jobs.run(GENERATE, body, timeout=timeout)["text"])
        except JobRefused as error:
            raise GeneratorUnavailable(error.message, hint=error.hint) from error


def _name(model: str) -> str:
    return f"{PROVIDER}:{model}" if model else PROVIDER


class SharedEmbedder:
    """An embedder whose bulk work other machines take part in: one slice at a time here, the others through the broker.

    Only workers whose vectors are of the same identity are asked, and what they do not answer is embedded here.
    """

    def __init__(self, own: Embedder, jobs: ModelJobs) -> None:
        self._own = own
        self._jobs = jobs
        self._free = threading.Lock()

    def identity(self) -> EmbeddingIdentity:
        return self._own.identity()

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        return self._own.embed_query(text, timeout=timeout)

    def embed_query_with_tokens(self, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens | None]:
        return embed_query_with_tokens(self._own, text, timeout=timeout)

    def lanes(self) -> int:
        """Slices worth having under way at once."""
        return min(MOST_LANES, 1 + self._count_helpers())

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return self.embed_documents_with_tokens(texts, timeout=timeout)[0]

    def embed_documents_with_tokens(
        self, texts: Sequence[str], *, timeout: float
    ) -> tuple[Vectors, tuple[Bits, ...] | None]:
        if not self._free.acquire(blocking=not self._count_helpers()):
            try:
                return self._elsewhere(texts, min(timeout, JOB_SECONDS))
            except JobRefused:
                self._free.acquire()
        try:
            return embed_documents_with_tokens(self._own, texts, timeout=timeout)
        finally:
            self._free.release()

    def _elsewhere(self, texts: Sequence[str], timeout: float) -> tuple[Vectors, tuple[Bits, ...] | None]:
        identity = self.identity()
        body = {"texts": list(texts), "fingerprint": identity.fingerprint}
        answer = self._jobs.run(BULK, body, timeout=timeout)
        vectors = unpack(answer.get("vectors"), identity.dims)
        if not is_usable(vectors, rows=len(texts), dims=identity.dims):
            raise JobRefused(sentence("a worker gave vectors that cannot be used"))
        return vectors, unpack_tokens(answer.get("tokens"), len(texts))

    def _count_helpers(self) -> int:
        try:
            return self._jobs.offers(BULK).count(self.identity().fingerprint)
        except EmbedderUnavailable:
            return 0


def pack(vectors: Vectors) -> str:
    """Vectors as text: little-endian float32, row by row, in base64."""
    return base64.b64encode(vectors.astype("<f4").tobytes()).decode()


def unpack(text: object, dims: int) -> Vectors:
    """The vectors of `pack`; `JobRefused` when it is none."""
    try:
        return np.frombuffer(base64.b64decode(str(text), validate=True), "<f4").astype(np.float32).reshape(-1, dims)
    except (binascii.Error, ValueError) as error:
        raise JobRefused(sentence("a worker gave an answer that cannot be understood")) from error


def pack_tokens(bits: Sequence[Bits]) -> dict[str, Any]:
    described, rows = pack_bits(bits)
    return {**described, "bits": base64.b64encode(rows).decode()}


def unpack_tokens(described: object, texts: int) -> tuple[Bits, ...] | None:
    """The bits of `pack_tokens`, None where there are none; `JobRefused` when they cannot be understood."""
    if described is None:
        return None
    try:
        rows = base64.b64decode(str(described.get("bits")), validate=True) if isinstance(described, dict) else b""
        return unpack_bits(described, rows, texts=texts)
    except (binascii.Error, ValueError, WireError) as error:
        raise JobRefused(sentence("a worker gave an answer that cannot be understood")) from error
