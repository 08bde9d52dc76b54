"""Train the head: `python -m search.recall.intent.train MODELS_DIR` writes `head.npz`.

Kernel logistic regression solved exactly (no random numbers), on the sentences beside this file that are not held
out. Log-odds are calibrated on predictions for sentences that the fit did not see.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from search.recall.intent import language, sentences
from search.recall.intent.features import direction, likeness, surface
from search.recall.intent.head import WEIGHTS, quantised, restored
from search.recall.intent.reading import read_message
from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Vectors

Floats = NDArray[np.float64]

LANDMARK_EVERY = 4
_LIKENESS_WEIGHT = 20.0
_STEPS = 8
_JITTER = 1e-4


def checksum() -> str:
    """Of the data that the weights were made from: sentences and patterns."""
    digest = hashlib.sha256()
    for path in (*sorted(sentences.FOLDER.glob("*.txt")), *sorted(language.FOLDER.glob("*.toml"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def train(vectors: Vectors, told: list[sentences.Sentence], target: Path) -> None:
    """`vectors` are the query embeddings of `told`, row by row."""
    labels = np.array([sentence.recall for sentence in told], dtype=np.float64)
    numbers = np.stack([surface(read_message(sentence.text)) for sentence in told])
    mean = vectors.mean(axis=0)
    directions = direction(vectors, mean)
    stored = quantised(directions[::LANDMARK_EVERY])
    landmarks = restored(stored)
    near = likeness(directions, landmarks).astype(np.float64)

    inverse = np.linalg.inv(likeness(landmarks, landmarks) + _JITTER * np.eye(len(landmarks)))
    by_words = (numbers @ numbers.T).astype(np.float64) + 1.0
    by_meaning = _LIKENESS_WEIGHT * near @ inverse @ near.T

    full, full_scale, full_shift = _calibrated(by_words + by_meaning, labels)
    words, words_scale, words_shift = _calibrated(by_words, labels)
    np.savez_compressed(
        target,
        mean=mean,
        landmarks=stored,
        full_landmarks=(full_scale * _LIKENESS_WEIGHT * inverse @ near.T @ full).astype(np.float32),
        full_surface=(full_scale * numbers.T @ full).astype(np.float16),
        full_bias=full_scale * full.sum() + full_shift,
        words_surface=(words_scale * numbers.T @ words).astype(np.float16),
        words_bias=words_scale * words.sum() + words_shift,
        made_from=json.dumps({"data": checksum(), "model": BUNDLED.id, "sentences": len(told)}),
    )


def _calibrated(kernel: Floats, labels: Floats) -> tuple[Floats, float, float]:
    """Dual weights of the fit on everything, and the scale and shift that its log-odds need."""
    unseen = np.empty_like(labels)
    for half in (0, 1):
        out = np.arange(len(labels)) % 2 == half
        unseen[out] = kernel[np.ix_(out, ~out)] @ fit(kernel[np.ix_(~out, ~out)], labels[~out])
    columns = np.stack((unseen, np.ones_like(unseen)), axis=1)
    scale, shift = _platt(columns, labels)
    return fit(kernel, labels), float(scale), float(shift)


def _platt(columns: Floats, labels: Floats) -> Floats:
    """Plain logistic regression on a column and its constant."""
    found: Floats = np.array([1.0, 0.0])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-columns @ found))
        curve = columns.T @ (columns * (chance * (1.0 - chance))[:, None])
        found = found - np.asarray(np.linalg.solve(curve, columns.T @ (chance - labels)), dtype=np.float64)
    return found


def fit(kernel: Floats, labels: Floats) -> Floats:
    """Dual weights of ridge-regularised logistic regression, by Newton's method."""
    odds: Floats = np.zeros(len(labels))
    weights: Floats = odds
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-odds))
        curve = np.maximum(chance * (1.0 - chance), _JITTER)
        solved = np.linalg.solve(kernel + np.diag(1.0 / curve), odds + (labels - chance) / curve)
        weights = np.asarray(solved, dtype=np.float64)
        odds = kernel @ weights
    return weights


def main(models_dir: Path) -> None:
    told = [sentence for sentence in sentences.read_sentences() if not sentence.held_out]
    embedder = LlamaEmbedder(ensure_bundled(models_dir), BUNDLED)
    vectors = np.stack([embedder.embed_query(sentence.text, timeout=60) for sentence in told])
    train(vectors, told, WEIGHTS)
    print(f"{WEIGHTS.name}: {len(told)} sentences")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
