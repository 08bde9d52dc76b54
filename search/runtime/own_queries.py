"""OwnQueries: an embedder that remembers query vectors for one owner, and never answers it from what others asked.

A cache that all agents share tells each of them by its speed what another has just asked. So there is none below this
one: neither the clients of models nor the process that runs them remember a query.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from search.runtime.cache import LruCache
from search.runtime.protocols import Bits, Embedder, QueryTokens, Vectors
from search.runtime.tokens import embed_documents_with_tokens, embed_query_with_tokens
from search.spec import EmbeddingIdentity

QUERIES = 64
"""Remembered for each owner: its own questions alone push each other out."""
OWNERS = 128
"""Beyond so many in one process the one that has not asked for longest is forgotten whole."""

_Queries = LruCache[tuple[str, str], tuple[Vectors, QueryTokens | None]]
_owners: LruCache[Hashable, _Queries] = LruCache(OWNERS)


class OwnQueries:
    """`embedder`, as one owner uses it. Cheap to make: what is remembered belongs to the process."""

    def __init__(self, embedder: Embedder, owner: Hashable) -> None:
        self.embedder = embedder
        self._owner = owner

    def identity(self) -> EmbeddingIdentity:
        return self.embedder.identity()

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        return self.embed_query_with_tokens(text, timeout=timeout)[0]

    def embed_query_with_tokens(self, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens | None]:
        queries = _owners.get(self._owner)
        if queries is None:
            queries = LruCache(QUERIES)
            _owners.put(self._owner, queries)
        key = (self.embedder.identity().fingerprint, text)
        known = queries.get(key)
        if known is not None:
            return known
        embedded = embed_query_with_tokens(self.embedder, text, timeout=timeout)
        embedded[0].flags.writeable = False
        queries.put(key, embedded)
        return embedded

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return self.embedder.embed_documents(texts, timeout=timeout)

    def embed_documents_with_tokens(
        self, texts: Sequence[str], *, timeout: float
    ) -> tuple[Vectors, tuple[Bits, ...] | None]:
        return embed_documents_with_tokens(self.embedder, texts, timeout=timeout)
