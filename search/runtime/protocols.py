"""Embedder, Reranker, Generator: what index, search and recall need from a model, wherever the model runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from search.spec import EmbeddingIdentity

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit-length float32 vectors of shape (len(texts), identity.dims).

    Prompts ("query: …", "passage: …") are added by the embedder; texts longer than the model's context are split
    and averaged, never refused. Raises `EmbedderUnavailable` when the model cannot answer, also when `timeout`
    seconds have passed.
    """

    def identity(self) -> EmbeddingIdentity: ...

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        """One query → vector of shape (dims,)."""
        ...

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors: ...


Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class QueryTokens:
    """The tokens of a query without its prompt: as the vocabulary writes them (`▁` begins a word) and their vectors,
    unit rows of shape (n, width), to be compared with the bits of documents' tokens (runtime/tokens)."""

    pieces: tuple[str, ...]
    vectors: Vectors


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that can also give the vectors of single tokens, out of the same pass of the model.

    Both methods raise like those of `Embedder`; None in place of the tokens where the model has none to give.
    """

    def embed_query_with_tokens(self, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens | None]: ...

    def embed_documents_with_tokens(
        self, texts: Sequence[str], *, timeout: float
    ) -> tuple[Vectors, tuple[Bits, ...] | None]:
        """Sign bits of the tokens worth comparing, one array of shape (n, width / 8) per text."""
        ...


class Reranker(Protocol):
    """Judges how well each document answers a query. `name` is `<provider>:<model>`, for answers and logs."""

    @property
    def name(self) -> str: ...

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> tuple[float, ...]:
        """One score of 0..1 per document, in their order. Too long ones are cut, never refused.

        Raises `RerankerUnavailable` when the model cannot answer, also when `timeout` seconds have passed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation that a generator continues."""

    role: Literal["system", "user", "assistant"]
    text: str


Thinking = Literal["off", "low", "medium", "high"]
"""Levels that providers tell apart."""


class Generator(Protocol):
    """Writes text. `name` is `<provider>:<model>`, for answers and logs."""

    @property
    def name(self) -> str: ...

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout: float,
        json_schema: Mapping[str, Any] | None = None,
        thinking: Thinking = "off",
    ) -> str:
        """The answer's text, cut after `max_tokens`; with `json_schema` a model that can is held to it.

        `thinking`: how much a model that can may reason before it answers; what it thinks is not part of the answer.

        The caller checks what comes back: a model may say anything. Raises `GeneratorUnavailable` when the model
        cannot answer, also when `timeout` seconds have passed.
        """
        ...
