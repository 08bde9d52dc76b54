"""What tests of the engine share: a workspace on disk, its index, and an embedder of our own protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from search.errors import EmbedderUnavailable
from search.index.embed import embed_pending
from search.index.report import EmbedReport, Progress, UpdateReport
from search.index.update import update_index
from search.outcome import SearchOutcome
from search.pipeline import search
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Bits, Embedder, QueryTokens, Vectors
from search.runtime.tokens import token_vectors
from search.spec import MEMORY_PATTERNS, CollectionSpec, EmbeddingIdentity, IndexSpec, SearchRequest


def ignore(_: Progress) -> None:
    """Progress that nobody looks at."""


def never() -> bool:
    return False


class WordEmbedder:
    """Counts words into 64 hashed dimensions: texts that share words are near. Real enough to rank, and instant."""

    def __init__(self, fingerprint: str = "words-1", dims: int = 64) -> None:
        self.fingerprint = fingerprint
        self.dims = dims
        self.seen: list[str] = []
        self.down = False

    def identity(self) -> EmbeddingIdentity:
        return EmbeddingIdentity("test", "words", self.dims, self.fingerprint)

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        if self.down:
            raise EmbedderUnavailable("the model is away", hint="Start it.")
        return self._vector(text)

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        if self.down:
            raise EmbedderUnavailable("the model is away", hint="Start it.")
        self.seen += texts
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vectors:
        vector = np.full(self.dims, 0.01, np.float32)
        for word in text.lower().split():
            vector[
                int(hashlib.md5(word.encode("utf-8", "replace"), usedforsecurity=False).hexdigest(), 16) % self.dims
            ] += 1
        return vector / np.linalg.norm(vector)


class Workspace:
    """One agent's folder and index, with the verbs of the engine."""

    def __init__(self, base: Path, agent: str = "al", **collections: Path) -> None:
        self.root = base / "workspaces" / agent
        (self.root / "memory").mkdir(parents=True)
        own = CollectionSpec("memory", self.root, MEMORY_PATTERNS, curated=("MEMORY.md", "USER.md"))
        others = (CollectionSpec(name, path, prefix=f"{name}/") for name, path in collections.items())
        self.spec = IndexSpec(agent, base / "indexes" / f"{agent}.sqlite", (own, *others))

    def write(self, rel: str, text: str | bytes) -> Path:
        path = self.root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def update(self, identity: EmbeddingIdentity | None = None) -> UpdateReport:
        return update_index(self.spec, identity=identity, progress=ignore, cancelled=never)

    def embed(self, embedder: Embedder) -> EmbedReport:
        return embed_pending(self.spec, embedder, budget_seconds=60, progress=ignore, cancelled=never)

    def search(self, query: str, embedder: Embedder | None = None, **request: object) -> SearchOutcome:
        return search(self.spec, SearchRequest(query, **request), embedder)  # type: ignore[arg-type]

    def paths(self, query: str, embedder: Embedder | None = None, **request: object) -> list[str]:
        return [hit.path for hit in self.search(query, embedder, **request).results]


class TokenEmbedder(WordEmbedder):
    """Under the bundled model's name, so that its words are tokens too: a word has a vector of its own."""

    def __init__(self, fingerprint: str = "tokens-1") -> None:
        super().__init__(fingerprint, 384)
        constants = token_vectors(BUNDLED.id)
        assert constants is not None
        self.width = constants.width

    def identity(self) -> EmbeddingIdentity:
        return EmbeddingIdentity("test", BUNDLED.id, self.dims, self.fingerprint)

    def embed_query_with_tokens(self, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens]:
        words = text.split()
        vectors = np.stack([self._token(word) for word in words]) / np.float32(np.sqrt(self.width))
        return self.embed_query(text, timeout=timeout), QueryTokens(tuple(f"▁{word}" for word in words), vectors)

    def embed_documents_with_tokens(self, texts: Sequence[str], *, timeout: float) -> tuple[Vectors, tuple[Bits, ...]]:
        bits = tuple(np.packbits(np.stack([self._token(word) for word in text.split()]) > 0, axis=1) for text in texts)
        return self.embed_documents(texts, timeout=timeout), bits

    def _token(self, word: str) -> Vectors:
        seed = int(hashlib.md5(word.lower().strip(".?").encode(), usedforsecurity=False).hexdigest()[:8], 16)
        return np.where(np.random.RandomState(seed).rand(self.width) > 0.5, 1, -1).astype(np.float32)
