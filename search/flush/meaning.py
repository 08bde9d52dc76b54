"""Meaning: how much nearer a text is to sentences that are worth a note than to those that are not."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from search.flush.language import languages
from search.runtime.protocols import Embedder, Vectors

_NEAREST = 3
_CACHED = 4
_prototypes: dict[str, Vectors] = {}


class Meaning:
    """Of one embedder. The prototypes are embedded once per model; `folder` keeps them for other processes."""

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self._embedder = embedder
        self._folder = folder

    def of(self, texts: Sequence[str], *, timeout: float) -> list[float]:
        """A number of about -1 to 1 per text. Raises `EmbedderUnavailable`, also when the time is over."""
        keep, drop = self._sentences(timeout)
        vectors = self._embedder.embed_documents(list(texts), timeout=timeout)
        centre = np.concatenate([keep, drop]).mean(axis=0)
        difference = _near(vectors - centre, keep - centre) - _near(vectors - centre, drop - centre)
        return [float(value) for value in np.clip(difference * 4, -1, 1)]

    def _sentences(self, timeout: float) -> tuple[Vectors, Vectors]:
        keep = [sentence for language in languages() for sentence in language.keep]
        drop = [sentence for language in languages() for sentence in language.drop]
        fingerprint = self._embedder.identity().fingerprint
        name = hashlib.sha256("\0".join([fingerprint, *keep, "", *drop]).encode()).hexdigest()[:32]
        vectors = _prototypes.get(name)
        if vectors is None:
            vectors = self._loaded(name, len(keep) + len(drop))
            if vectors is None:
                vectors = self._embedder.embed_documents(keep + drop, timeout=timeout)
                self._save(name, vectors)
            while len(_prototypes) >= _CACHED:
                _prototypes.pop(next(iter(_prototypes)))
            _prototypes[name] = vectors
        return vectors[: len(keep)], vectors[len(keep) :]

    def _loaded(self, name: str, count: int) -> Vectors | None:
        if self._folder is None:
            return None
        try:
            vectors = np.load(self._folder / f"{name}.npy", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None  # not there, or damaged: it is made again
        return vectors if vectors.ndim == 2 and len(vectors) == count and vectors.dtype == np.float32 else None

    def _save(self, name: str, vectors: Vectors) -> None:
        """Whole or not at all. A folder that cannot be written costs the next process a second."""
        if self._folder is None:
            return
        beside = self._folder / f".{secrets.token_hex(8)}.npy"
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            np.save(beside, np.ascontiguousarray(vectors, dtype=np.float32))
            beside.replace(self._folder / f"{name}.npy")


def _near(vectors: Vectors, prototypes: Vectors) -> Vectors:
    """The mean cosine to the nearest few."""
    similarity = _unit(vectors) @ _unit(prototypes).T
    best: Vectors = np.sort(similarity, axis=1)[:, -_NEAREST:].mean(axis=1)
    return best


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit
