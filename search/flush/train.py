"""Train the head: `python -m search.flush.train MODELS_DIR` writes `head.npz`.

Kernel ridge regressions solved exactly (no random numbers), on the lines of `dialogues/dev.txt`. One linear system
serves all outputs, and on days that the fit had not seen it did as well as logistic regression.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from search.flush.choose import units_of
from search.flush.dialogues import FOLDER, Dialogue, read_dialogues
from search.flush.head import KINDS, OUTPUTS, SHARPNESS, WEIGHTS
from search.flush.surface import surface
from search.language import tables
from search.recall.intent.features import Numbers, direction, likeness
from search.recall.intent.head import quantised, restored
from search.recall.intent.train import Floats
from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Embedder, Vectors

_MEANING_WEIGHT = 400.0
_RIDGE = 20.0
_ODDS = 4.0
"""From the regression on -1 and 1 to about log-odds."""


def checksum() -> str:
    """Of the data that the weights were made from: dialogues and cues."""
    digest = hashlib.sha256()
    digest.update((FOLDER / "dev.txt").read_bytes())
    digest.update(tables.checksum("flush").encode())
    return digest.hexdigest()


def examples(dialogues: list[Dialogue]) -> tuple[list[str], Numbers, list[str]]:
    """Texts, their surfaces and their labels: one whole message each."""
    texts, surfaces, labels = [], [], []
    for dialogue in dialogues:
        for turn, label in zip(dialogue.turns, dialogue.labels, strict=True):
            units = units_of(turn)
            if label and units:
                texts.append(units[0].text)
                surfaces.append(surface(units[0].text, quoted=units[0].quoted))
                labels.append(label)
    return texts, np.stack(surfaces), labels


def train(vectors: Vectors, surfaces: Numbers, labels: list[str], **made_from: object) -> dict[str, object]:
    """`vectors` are the document embeddings, row by row. Returns the arrays of `head.npz`."""
    mean = vectors.mean(axis=0)
    stored = quantised(direction(vectors, mean))
    landmarks = restored(stored)
    numbers = surfaces.astype(np.float64)
    by_words = numbers @ numbers.T + 1.0
    by_both = by_words + _MEANING_WEIGHT * likeness(direction(vectors, mean), landmarks, SHARPNESS)
    kept = np.array([label in KINDS for label in labels])
    everything = np.ones(len(labels), dtype=bool)
    full, full_means = _fitted(by_both, labels, everything, kept)
    words, words_means = _fitted(by_words, labels, everything, kept)
    return {
        "mean": mean,
        "landmarks": stored,
        "full_landmarks": (_MEANING_WEIGHT * full).astype(np.float16),
        "full_surface": (full @ numbers).astype(np.float16),
        "full_bias": full.sum(axis=1) + full_means,
        "words_surface": (words @ numbers).astype(np.float16),
        "words_bias": words.sum(axis=1) + words_means,
        "made_from": json.dumps(made_from),
    }


def _fitted(kernel: Floats, labels: list[str], everything: np.ndarray, kept: np.ndarray) -> tuple[Floats, Floats]:
    """Dual weights and means, a row per output; the kinds are told apart among the lines that are worth a note."""
    first = np.stack([kept, *(np.array([label == name for label in labels]) for name in OUTPUTS[1:3])])
    kinds = np.stack([np.array([label == kind for label in labels]) for kind in KINDS])
    parts = [_ridge(kernel, among, right) for among, right in ((everything, first), (kept, kinds))]
    return np.concatenate([weights for weights, _ in parts]), np.concatenate([means for _, means in parts])


def _ridge(kernel: Floats, among: np.ndarray, right: np.ndarray) -> tuple[Floats, Floats]:
    """Dual weights, 0 for the lines that take no part, and the mean of each row of `right` as -1 and 1."""
    wanted = 2.0 * right[:, among] - 1.0
    means = wanted.mean(axis=1)
    weights: Floats = np.zeros((len(right), len(among)))
    system = kernel[np.ix_(among, among)] + _RIDGE * np.eye(int(among.sum()))
    weights[:, among] = np.linalg.solve(system, (wanted - means[:, None]).T).T
    return _ODDS * weights, _ODDS * means


def embedded(embedder: Embedder, texts: list[str]) -> Vectors:
    return np.concatenate(
        [embedder.embed_documents(texts[at : at + 50], timeout=300) for at in range(0, len(texts), 50)]
    )


def main(models_dir: Path) -> None:
    texts, surfaces, labels = examples(read_dialogues(FOLDER / "dev.txt"))
    embedder = LlamaEmbedder(ensure_bundled(models_dir), BUNDLED)
    arrays = train(embedded(embedder, texts), surfaces, labels, data=checksum(), model=BUNDLED.id, lines=len(texts))
    np.savez_compressed(WEIGHTS, **arrays)  # type: ignore[arg-type]
    print(f"{WEIGHTS.name}: {len(texts)} lines")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
