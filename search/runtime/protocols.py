"""Embedder: the one protocol the index and the search need from a model, wherever the model runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

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
