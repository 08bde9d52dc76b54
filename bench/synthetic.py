"""Synthetic notes and vectors for measuring at scale: word frequencies like a language's, vectors in clusters.

Real embedding runs at about a chunk a second; for 100,000 chunks only the cost of storing and searching is of interest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from search.runtime.protocols import Vectors
from search.spec import MEMORY_PATTERNS, CollectionSpec, EmbeddingIdentity, IndexSpec

DIMS = 384
_LATENT = 64
_CLUSTERS = 200
_VOCABULARY = 60_000
_SYLLABLES = [c + v for c in "bcdfghjklmnprstvwz" for v in "aeiou"]


def vocabulary(rng: np.random.Generator) -> list[str]:
    """Pronounceable words of two to four syllables."""
    lengths = rng.integers(2, 5, _VOCABULARY)
    return ["".join(rng.choice(_SYLLABLES, length)) for length in lengths]


class Notes:
    """A stream of paragraphs whose words follow Zipf's law."""

    def __init__(self, seed: int = 7) -> None:
        self._rng = np.random.default_rng(seed)
        self._words = np.array(vocabulary(self._rng))
        weights = 1.0 / np.arange(1, _VOCABULARY + 1) ** 1.07
        self._cumulative = np.cumsum(weights / weights.sum())

    def words(self, count: int) -> list[str]:
        picks = np.searchsorted(self._cumulative, self._rng.random(count))
        return list(self._words[np.minimum(picks, _VOCABULARY - 1)])

    def file(self, chars: int) -> str:
        """Lines of about 80 characters, `chars` in all, without a heading."""
        words = self.words(chars // 6)
        return "\n".join(" ".join(words[at : at + 12]) for at in range(0, len(words), 12)) + "\n"


def write_workspace(root: Path, files: int, chars_per_file: int, notes: Notes) -> list[str]:
    """Write `files` notes under `root/memory`; answers 8-word questions taken from some of them."""
    questions = []
    folder = root / "memory"
    for number in range(files):
        if number % 200 == 0:
            (folder / f"{number // 200:03}").mkdir(parents=True, exist_ok=True)
        text = notes.file(chars_per_file)
        (folder / f"{number // 200:03}" / f"note-{number:06}.md").write_text(text)
        if len(questions) < 200 and number % max(1, files // 200) == 0:
            words = text.split()
            start = len(words) // 2
            questions.append(" ".join(words[start : start + 8]))
    return questions


def index_spec(base: Path, agent: str = "bench") -> IndexSpec:
    root = base / "workspaces" / agent
    root.mkdir(parents=True, exist_ok=True)
    own = CollectionSpec("memory", root, MEMORY_PATTERNS, curated=("MEMORY.md", "USER.md"))
    return IndexSpec(agent, base / "indexes" / f"{agent}.sqlite", (own,))


class SyntheticEmbedder:
    """Unit vectors in clusters, a pure function of the text; costs microseconds instead of a second."""

    def __init__(self) -> None:
        rng = np.random.default_rng(11)
        self._centres = rng.standard_normal((_CLUSTERS, _LATENT)).astype(np.float32)
        self._project = rng.standard_normal((_LATENT, DIMS)).astype(np.float32)

    def identity(self) -> EmbeddingIdentity:
        return EmbeddingIdentity("synthetic", "clusters-384", DIMS, "synthetic-clusters-1")

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        return self.embed_documents([text], timeout=timeout)[0]

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        latent = np.empty((len(texts), _LATENT), np.float32)
        for row, text in enumerate(texts):
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
            rng = np.random.default_rng(seed)
            latent[row] = self._centres[seed % _CLUSTERS] + 0.6 * rng.standard_normal(_LATENT, dtype=np.float32)
        vectors = latent @ self._project
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
