"""The models of one turn, guarded: vectors are made once, and a model that stalls is left alone for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from search.errors import EmbedderUnavailable, GeneratorUnavailable
from search.recall.breaker import Breaker
from search.runtime.own_queries import OwnQueries
from search.runtime.protocols import Bits, Embedder, Generator, Message, QueryTokens, Thinking, Vectors
from search.runtime.tokens import embed_documents_with_tokens, embed_query_with_tokens
from search.sentences import sentence
from search.spec import EmbeddingIdentity

WRITING_SHARE = 0.5
"""Of the turn's time that is left, for the generator; half of it after each time-out: three cost less than a turn."""
WAITING_SHARE = 0.125
MOST_WAITING_SECONDS = 1.0
"""One turn at most waits for the generator, so long at most; the others do without it at once."""
LATE = 0.95
"""A failure after this share of the time allowed was a time-out, whatever the model calls it."""


class TurnEmbedder:
    """An `Embedder` for one turn: each query is embedded once, for the intent and for the search alike."""

    def __init__(self, embedder: Embedder, breaker: Breaker, *, until: float) -> None:
        self._embedder = embedder
        self._breaker = breaker
        self._until = until
        self._known: dict[str, tuple[Vectors, QueryTokens | None]] = {}
        self._failure: EmbedderUnavailable | None = None

    def identity(self) -> EmbeddingIdentity:
        self._check()
        return self._embedder.identity()

    def known(self, text: str) -> Vectors | None:
        """The vector of a query that was already embedded."""
        known = self._known.get(text)
        return None if known is None else known[0]

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        return self.embed_query_with_tokens(text, timeout=timeout)[0]

    def embed_query_with_tokens(self, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens | None]:
        """At most half of the turn's time that is left, so that the words still get theirs."""
        known = self._known.get(text)
        if known is not None:
            return known
        self._check()
        started = time.monotonic()
        allowed = min(timeout, max(0.01, (self._until - started) / 2))
        try:
            embedded = embed_query_with_tokens(self._embedder, text, timeout=allowed)
        except EmbedderUnavailable as error:
            self._failure = error
            if time.monotonic() - started >= LATE * allowed:
                self._breaker.timed_out(self._key)
            raise
        self._breaker.completed(self._key)
        self._known[text] = embedded
        return embedded

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return self._embedder.embed_documents(texts, timeout=timeout)

    def embed_documents_with_tokens(
        self, texts: Sequence[str], *, timeout: float
    ) -> tuple[Vectors, tuple[Bits, ...] | None]:
        return embed_documents_with_tokens(self._embedder, texts, timeout=timeout)

    def _check(self) -> None:
        """A model that has failed in this turn, or timed out in several, is not asked again."""
        if self._failure is not None:
            raise self._failure
        if self._breaker.open(self._key):
            raise EmbedderUnavailable(
                sentence("the embedding model timed out repeatedly and is left alone for a minute")
            )

    @property
    def _key(self) -> str:
        model = self._embedder.embedder if isinstance(self._embedder, OwnQueries) else self._embedder
        return f"embed:{type(model).__name__}"


class Writers:
    """One turn of this process at a time has the generator, and one may wait for it."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._taken = False
        self._awaited = False

    def take(self, *, patience: float) -> bool:
        """Whether the caller has it now; False at once when another one waits already."""
        with self._free:
            if self._taken and not self._awaited and patience > 0:
                self._awaited = True
                self._free.wait_for(lambda: not self._taken, patience)
                self._awaited = False
            if self._taken:
                return False
            self._taken = True
            return True

    def give_back(self) -> None:
        with self._free:
            self._taken = False
            self._free.notify()


class TurnGenerator:
    """A `Generator` for one turn, within the turn's time."""

    def __init__(self, generator: Generator, breaker: Breaker, writers: Writers, *, until: float) -> None:
        self._generator = generator
        self._writers = writers
        self._breaker = breaker
        self._until = until
        self._end = until

    @property
    def name(self) -> str:
        return self._generator.name

    @property
    def resting(self) -> bool:
        """Whether it timed out too often just now."""
        return self._breaker.open(self._key)

    @property
    def out_of_time(self) -> bool:
        """Whether its share of this turn's time is over."""
        return time.monotonic() >= self._end

    @property
    def _key(self) -> str:
        return f"generate:{self._generator.name}"

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Has the generator to itself; raises `GeneratorUnavailable` when another turn does not give it back.

        That counts as a time-out, so that the queue behind a stalled model is sent on at once; if it was only slow,
        its answer sets the count back. Nobody waits behind a model that has a time-out to its name.
        """
        missed = self._breaker.count(self._key)
        left = self._until - time.monotonic()
        patience = 0.0 if missed else min(MOST_WAITING_SECONDS, left * WAITING_SHARE)
        if not self._writers.take(patience=patience):
            self._breaker.timed_out(self._key)
            raise GeneratorUnavailable(sentence("the writing model is busy with another turn"))
        left = self._until - time.monotonic()
        self._end = self._until - left * (1 - WRITING_SHARE / 2**missed)
        try:
            yield
        finally:
            self._writers.give_back()

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        json_schema: Mapping[str, Any] | None = None,
        thinking: Thinking = "off",
    ) -> str:
        """Raises `GeneratorUnavailable`, at the latest when the generator's share of the turn's time is over."""
        started = time.monotonic()
        allowed = self._end - started
        if allowed <= 0:
            raise GeneratorUnavailable(sentence("no time was left for the writing model"))
        try:
            text = self._generator.generate(
                messages, max_tokens=max_tokens, timeout=allowed, json_schema=json_schema, thinking=thinking
            )
        except GeneratorUnavailable:
            if time.monotonic() - started >= LATE * allowed:
                self._breaker.timed_out(self._key)
            raise
        self._breaker.completed(self._key)
        return text
