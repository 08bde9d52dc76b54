"""Head: the trained weights beside this file, and what they say about a reading and its embedding.

Two ridge regressions: `full` with the embedding, `words` for when there is no vector. The embedding enters as its
likeness to every training sentence, which is what bends the border between the two kinds of message.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from search.recall.intent.features import Numbers, direction, likeness, surface
from search.recall.intent.reading import Reading
from search.runtime.protocols import Vectors

WEIGHTS = Path(__file__).parent / "head.npz"
SHARPNESS = 4.0
"""Of the likeness: 2, 3 and 6 did worse on folds."""
_INT8 = 127.0


@dataclass(frozen=True, slots=True)
class Head:
    """`landmarks` are unit vectors from `mean`. `full` and `words` are calibrated: their sum is a log-odds."""

    mean: Numbers
    landmarks: Numbers
    full_landmarks: Numbers
    full_surface: Numbers
    full_bias: float
    words_surface: Numbers
    words_bias: float
    made_from: dict[str, Any]
    """Checksum of the training data and patterns, the model's name, the number of sentences."""

    def probability(self, reading: Reading, vector: Vectors | None) -> float:
        """Of "recall". A vector that another model made (other dimensions) is left aside."""
        numbers = surface(reading)
        if vector is None or vector.shape != self.mean.shape:
            return _logistic(float(numbers @ self.words_surface) + self.words_bias)
        near = likeness(direction(vector, self.mean), self.landmarks, SHARPNESS)
        odds = float(numbers @ self.full_surface) + float(near @ self.full_landmarks) + self.full_bias
        return _logistic(odds)


def quantised(landmarks: Numbers) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Landmarks as they are stored; training must see them as they will be read."""
    scale = np.abs(landmarks).max(axis=1, keepdims=True)
    return np.asarray(np.round(landmarks / scale * _INT8), dtype=np.int8)


def restored(stored: np.ndarray[Any, np.dtype[np.int8]]) -> Numbers:
    """Stored landmarks as unit vectors."""
    vectors = stored.astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


@cache
def load_head(path: Path = WEIGHTS) -> Head:
    """Read once per process."""
    with np.load(path) as stored:
        return Head(
            mean=stored["mean"],
            landmarks=restored(stored["landmarks"]),
            full_landmarks=stored["full_landmarks"],
            full_surface=stored["full_surface"].astype(np.float32),
            full_bias=float(stored["full_bias"]),
            words_surface=stored["words_surface"].astype(np.float32),
            words_bias=float(stored["words_bias"]),
            made_from=json.loads(str(stored["made_from"])),
        )


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
