"""Meaning: how much nearer a text is to sentences that are worth a note than to those that are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from search.flush.language import languages
from search.runtime.protocols import Embedder, Vectors

_NEAREST = 3
_CACHED = 4
_prototypes: dict[str, tuple[Vectors, Vectors]] = {}


class Meaning:
    """Of one embedder. The prototypes are embedded once per model and process."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def of(self, texts: Sequence[str], *, timeout: float) -> list[float]:
        """A number of about -1 to 1 per text. Raises `EmbedderUnavailable`, also when the time is over."""
        keep, drop = self._sentences(timeout)
        vectors = self._embedder.embed_documents(list(texts), timeout=timeout)
        centre = np.concatenate([keep, drop]).mean(axis=0)
        difference = _near(vectors - centre, keep - centre) - _near(vectors - centre, drop - centre)
        return [float(value) for value in np.clip(difference * 4, -1, 1)]

    def _sentences(self, timeout: float) -> tuple[Vectors, Vectors]:
        fingerprint = self._embedder.identity().fingerprint
        found = _prototypes.get(fingerprint)
        if found is None:
            keep = [sentence for language in languages() for sentence in language.keep]
            drop = [sentence for language in languages() for sentence in language.drop]
            vectors = self._embedder.embed_documents(keep + drop, timeout=timeout)
            found = vectors[: len(keep)], vectors[len(keep) :]
            while len(_prototypes) >= _CACHED:
                _prototypes.pop(next(iter(_prototypes)))
            _prototypes[fingerprint] = found
        return found


def _near(vectors: Vectors, prototypes: Vectors) -> Vectors:
    """The mean cosine to the nearest few."""
    similarity = _unit(vectors) @ _unit(prototypes).T
    best: Vectors = np.sort(similarity, axis=1)[:, -_NEAREST:].mean(axis=1)
    return best


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit
