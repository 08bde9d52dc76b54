"""Train the head: `python -m search.recall.intent.train MODELS_DIR` writes `head.npz`.

Kernel ridge regression solved exactly (no random numbers), on the sentences beside this file that are not held out.
Log-odds are calibrated on predictions for sentences that the fit did not see.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from search.language import tables
from search.recall.intent import sentences
from search.recall.intent.features import direction, likeness, surface
from search.recall.intent.head import SHARPNESS, WEIGHTS, quantised, restored
from search.recall.intent.reading import read_message
from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Vectors

Floats = NDArray[np.float64]

_LIKENESS_WEIGHT = 100.0
_RIDGE, _RIDGE_WORDS = 5.0, 20.0
_STEPS = 8


def checksum() -> str:
    """Of the data that the weights were made from: sentences and patterns."""
    digest = hashlib.sha256()
    for path in sorted(sentences.FOLDER.glob("*.txt")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(tables.checksum("intent").encode())
    return digest.hexdigest()


def train(vectors: Vectors, told: list[sentences.Sentence], target: Path) -> None:
    """`vectors` are the query embeddings of `told`, row by row."""
    labels = np.array([sentence.recall for sentence in told], dtype=np.float64)
    numbers = np.stack([surface(read_message(sentence.text)) for sentence in told])
    mean = vectors.mean(axis=0)
    directions = direction(vectors, mean)
    stored = quantised(directions)
    by_words = (numbers @ numbers.T).astype(np.float64) + 1.0
    by_meaning = _LIKENESS_WEIGHT * likeness(directions, restored(stored), SHARPNESS)
    full, full_bias = _calibrated(by_words + by_meaning, labels, _RIDGE)
    words, words_bias = _calibrated(by_words, labels, _RIDGE_WORDS)
    np.savez_compressed(
        target,
        mean=mean,
        landmarks=stored,
        full_landmarks=(_LIKENESS_WEIGHT * full).astype(np.float32),
        full_surface=(numbers.T @ full).astype(np.float16),
        full_bias=full.sum() + full_bias,
        words_surface=(numbers.T @ words).astype(np.float16),
        words_bias=words.sum() + words_bias,
        made_from=json.dumps({"data": checksum(), "model": BUNDLED.id, "sentences": len(told)}),
    )


def _calibrated(kernel: Floats, labels: Floats, ridge: float) -> tuple[Floats, float]:
    """Dual weights of the fit on everything and its bias, as log-odds: by what either half says of the other."""
    unseen = np.empty_like(labels)
    for half in (0, 1):
        out = np.arange(len(labels)) % 2 == half
        weights, mean = fit(kernel[np.ix_(~out, ~out)], labels[~out], ridge)
        unseen[out] = kernel[np.ix_(out, ~out)] @ weights + mean
    scale, shift = _platt(np.stack((unseen, np.ones_like(unseen)), axis=1), labels)
    weights, mean = fit(kernel, labels, ridge)
    return scale * weights, float(scale * mean + shift)


def _platt(columns: Floats, labels: Floats) -> Floats:
    """Plain logistic regression on a column and its constant."""
    found: Floats = np.array([1.0, 0.0])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-columns @ found))
        curve = columns.T @ (columns * (chance * (1.0 - chance))[:, None])
        found = found - np.asarray(np.linalg.solve(curve, columns.T @ (chance - labels)), dtype=np.float64)
    return found


def fit(kernel: Floats, labels: Floats, ridge: float) -> tuple[Floats, float]:
    """Dual weights of ridge regression on -1 and 1, and the mean that they start from."""
    wanted = 2.0 * labels - 1.0
    mean = float(wanted.mean())
    weights = np.linalg.solve(kernel + ridge * np.eye(len(labels)), wanted - mean)
    return np.asarray(weights, dtype=np.float64), mean


def main(models_dir: Path) -> None:
    told = [sentence for sentence in sentences.read_sentences() if not sentence.held_out]
    embedder = LlamaEmbedder(ensure_bundled(models_dir), BUNDLED)
    vectors = np.stack([embedder.embed_query(sentence.text, timeout=60) for sentence in told])
    train(vectors, told, WEIGHTS)
    print(f"{WEIGHTS.name}: {len(told)} sentences")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
