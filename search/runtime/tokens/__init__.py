"""TokenVectors: what is kept of the vectors of single tokens, for late interaction (rank/late.py).

The model computes a vector for every token anyway; their mean is the passage's vector. For late interaction a token's
vector is centred (what all tokens share says nothing), turned into a basis in which a few dimensions hold most, and of
documents only the signs are kept.

`<model>.npz` holds `query_mean` and `document_mean`, shape (dims,), and `basis`, shape (dims, width), made from texts
of this repository by `python -m search.training.tokens`. A model without such a file has no late interaction.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from search.runtime.protocols import Bits, Embedder, QueryTokens, TokenEmbedder, Vectors


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """Of one model. `version` changes with the constants: bits of another version cannot be compared."""

    query_mean: Vectors
    document_mean: Vectors
    basis: Vectors
    version: int

    @property
    def width(self) -> int:
        """Dimensions kept, a multiple of 64."""
        return int(self.basis.shape[1])

    def of_query(self, rows: Vectors) -> Vectors:
        """(n, dims) as the model gives them → unit rows of shape (n, width)."""
        turned = (rows - self.query_mean) @ self.basis
        vectors: Vectors = turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
        return vectors.astype(np.float32)

    def of_document(self, rows: Vectors, pieces: Sequence[str]) -> Bits:
        """(n, dims) as the model gives them → signs of the tokens with a letter or digit, shape (kept, width / 8)."""
        worth = [place for place, piece in enumerate(pieces) if says_something(piece)]
        return np.packbits((rows[worth] - self.document_mean) @ self.basis > 0, axis=1)


def says_something(piece: str) -> bool:
    return any(map(str.isalnum, piece))


@cache
def token_vectors(model: str) -> TokenVectors | None:
    """None for a model that has none."""
    file = resources.files(__name__) / f"{model}.npz"
    if not model.replace("-", "").isalnum() or not file.is_file():
        return None
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as held:
        parts = {name: held[name].astype(np.float32) for name in ("query_mean", "document_mean", "basis")}
    return TokenVectors(**parts, version=zlib.crc32(b"".join(part.tobytes() for part in parts.values())))


def embed_query_with_tokens(embedder: Embedder, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens | None]:
    """The query's vector, and its tokens where the embedder has any."""
    if isinstance(embedder, TokenEmbedder):
        return embedder.embed_query_with_tokens(text, timeout=timeout)
    return embedder.embed_query(text, timeout=timeout), None


def embed_documents_with_tokens(
    embedder: Embedder, texts: Sequence[str], *, timeout: float
) -> tuple[Vectors, tuple[Bits, ...] | None]:
    """The texts' vectors, and the bits of their tokens where the embedder has any."""
    if isinstance(embedder, TokenEmbedder):
        return embedder.embed_documents_with_tokens(texts, timeout=timeout)
    return embedder.embed_documents(texts, timeout=timeout), None
