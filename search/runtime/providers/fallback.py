"""A first choice with a second one behind it, for each role."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from search.errors import EmbedderUnavailable, GeneratorUnavailable, RerankerUnavailable
from search.runtime.protocols import Bits, Embedder, Generator, Message, QueryTokens, Reranker, Thinking, Vectors
from search.runtime.providers.embedder import PROBE, PROBE_SECONDS
from search.runtime.tokens import embed_documents_with_tokens, embed_query_with_tokens
from search.sentences import sentence
from search.spec import EmbeddingIdentity

PATIENCE_SECONDS = 300.0
PROBE_AGAIN_SECONDS = 600.0
_FOR_GOOD = frozenset({"auth", "quota", "not_found", "bad_request"})


class FallbackEmbedder:
    """Two embedders make vectors that cannot be compared, so the second never fills in text by text.

    When the first has failed for good (or for five minutes on end), this one becomes the second, whole: its identity
    changes, and with it the index is built anew. The first is probed again every ten minutes and takes over when it
    answers; its vectors are still in the cache.
    """

    def __init__(self, first: Embedder, second: Embedder) -> None:
        self._first = first
        self._second = second
        self._failing_since: float | None = None
        self._probe_at: float | None = None

    def identity(self) -> EmbeddingIdentity:
        return self._in_turn().identity()

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        return self._in_turn().embed_query(text, timeout=timeout)

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return self.embed_documents_with_tokens(texts, timeout=timeout)[0]

    def embed_query_with_tokens(self, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens | None]:
        return embed_query_with_tokens(self._in_turn(), text, timeout=timeout)

    def embed_documents_with_tokens(
        self, texts: Sequence[str], *, timeout: float
    ) -> tuple[Vectors, tuple[Bits, ...] | None]:
        embedder = self._in_turn()
        try:
            embedded = embed_documents_with_tokens(embedder, texts, timeout=timeout)
        except EmbedderUnavailable as error:
            if embedder is self._first and self._gives_up(error):
                # The next job finds the second in turn: there is nothing to wait for.
                raise EmbedderUnavailable(
                    error.message, hint=sentence("The fallback takes over."), kind=error.kind
                ) from error
            raise
        if embedder is self._first:
            self._failing_since = None
        return embedded

    def _gives_up(self, error: EmbedderUnavailable) -> bool:
        now = time.monotonic()
        self._failing_since = now if self._failing_since is None else self._failing_since
        if error.kind not in _FOR_GOOD and now - self._failing_since < PATIENCE_SECONDS:
            return False
        self._probe_at = now + PROBE_AGAIN_SECONDS
        return True

    def _in_turn(self) -> Embedder:
        if self._probe_at is None:
            return self._first
        if time.monotonic() >= self._probe_at:
            try:
                self._first.embed_documents([PROBE], timeout=PROBE_SECONDS)
            except EmbedderUnavailable:
                self._probe_at = time.monotonic() + PROBE_AGAIN_SECONDS
            else:
                self._probe_at = self._failing_since = None
                return self._first
        return self._second


class FallbackReranker:
    """Asks the second when the first fails; the time limit covers both."""

    def __init__(self, first: Reranker, second: Reranker) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        return self._first.name

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> tuple[float, ...]:
        share = timeout / 2
        try:
            return self._first.rerank(query, documents, timeout=share)
        except RerankerUnavailable:
            return self._second.rerank(query, documents, timeout=share)


class FallbackGenerator:
    """Asks the second when the first fails; the time limit covers both."""

    def __init__(self, first: Generator, second: Generator) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        return self._first.name

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout: float,
        json_schema: Mapping[str, Any] | None = None,
        thinking: Thinking = "off",
    ) -> str:
        def asked(generator: Generator) -> str:
            return generator.generate(
                messages, max_tokens=max_tokens, timeout=timeout / 2, json_schema=json_schema, thinking=thinking
            )

        try:
            return asked(self._first)
        except GeneratorUnavailable:
            return asked(self._second)
