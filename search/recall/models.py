"""The models of one turn, guarded: vectors are made once, and a model that stalls is left alone for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from search.errors import EmbedderUnavailable, GeneratorUnavailable
from search.recall.breaker import Breaker
from search.runtime.protocols import Embedder, Generator, Message, Vectors
from search.spec import EmbeddingIdentity

STALLED_SECONDS = 3.0
"""A generator that has written for so long on one turn may be stalled: other turns do without it."""
LATE = 0.95
"""A failure after this share of the time allowed was a time-out, whatever the model calls it."""


class TurnEmbedder:
    """An `Embedder` for one turn: each query is embedded once, for the intent and for the search alike."""

    def __init__(self, embedder: Embedder, breaker: Breaker, *, until: float) -> None:
        self._embedder = embedder
        self._breaker = breaker
        self._until = until
        self._vectors: dict[str, Vectors] = {}
        self._failure: EmbedderUnavailable | None = None

    def identity(self) -> EmbeddingIdentity:
        self._check()
        return self._embedder.identity()

    def known(self, text: str) -> Vectors | None:
        """The vector of a query that was already embedded."""
        return self._vectors.get(text)

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        """At most half of the turn's time that is left, so that the words still get theirs."""
        known = self._vectors.get(text)
        if known is not None:
            return known
        self._check()
        started = time.monotonic()
        allowed = min(timeout, max(0.01, (self._until - started) / 2))
        try:
            vector = self._embedder.embed_query(text, timeout=allowed)
        except EmbedderUnavailable as error:
            self._failure = error
            if time.monotonic() - started >= LATE * allowed:
                self._breaker.timed_out(self._key)
            raise
        self._breaker.completed(self._key)
        self._vectors[text] = vector
        return vector

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return self._embedder.embed_documents(texts, timeout=timeout)

    def _check(self) -> None:
        """A model that has failed in this turn, or timed out in several, is not asked again."""
        if self._failure is not None:
            raise self._failure
        if self._breaker.open(self._key):
            raise EmbedderUnavailable("the embedding model timed out repeatedly and is left alone for a minute")

    @property
    def _key(self) -> str:
        return f"embed:{type(self._embedder).__name__}"


class Writers:
    """One turn of this process at a time has the generator; another waits for it, but not behind a stalled one."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._since: float | None = None

    def take(self, until: float) -> bool:
        """False when the one that writes has been at it for three seconds."""
        with self._free:
            while self._since is not None:
                left = min(until, self._since + STALLED_SECONDS) - time.monotonic()
                if left <= 0:
                    return False
                self._free.wait(left)
            self._since = time.monotonic()
            return True

    def give_back(self) -> None:
        with self._free:
            self._since = None
            self._free.notify()


class TurnGenerator:
    """A `Generator` for one turn, within the turn's time."""

    def __init__(self, generator: Generator, breaker: Breaker, writers: Writers, *, until: float) -> None:
        self._generator = generator
        self._writers = writers
        self._breaker = breaker
        self._until = until

    @property
    def name(self) -> str:
        return self._generator.name

    @property
    def resting(self) -> bool:
        """Whether it timed out too often just now."""
        return self._breaker.open(self._key)

    @property
    def _key(self) -> str:
        return f"generate:{self._generator.name}"

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Has the generator to itself; raises `GeneratorUnavailable` when another turn does not give it back.

        That counts as a time-out, so that the queue behind a stalled model is sent on at once; if it was only slow,
        its answer sets the count back.
        """
        if not self._writers.take(self._until):
            self._breaker.timed_out(self._key)
            raise GeneratorUnavailable("the writing model is busy with another turn")
        try:
            yield
        finally:
            self._writers.give_back()

    def generate(
        self, messages: Sequence[Message], *, max_tokens: int, json_schema: Mapping[str, Any] | None = None
    ) -> str:
        """Raises `GeneratorUnavailable`, at the latest when the turn's time is over."""
        started = time.monotonic()
        allowed = self._until - started
        if allowed <= 0:
            raise GeneratorUnavailable("no time was left for the writing model")
        try:
            text = self._generator.generate(messages, max_tokens=max_tokens, timeout=allowed, json_schema=json_schema)
        except GeneratorUnavailable:
            if time.monotonic() - started >= LATE * allowed:
                self._breaker.timed_out(self._key)
            raise
        self._breaker.completed(self._key)
        return text
