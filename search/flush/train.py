"""Train the head: `python -m search.flush.train MODELS_DIR` writes `head.npz`.

Ridge-regularised logistic regressions solved exactly (no random numbers), on the lines of `dialogues/dev.txt`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from search.flush import language
from search.flush.choose import units_of
from search.flush.dialogues import FOLDER, Dialogue, read_dialogues
from search.flush.head import KINDS, WEIGHTS
from search.flush.surface import surface
from search.recall.intent.features import Numbers, direction
from search.recall.intent.train import Floats, fit
from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Embedder, Vectors

_MEANING_WEIGHT = 100.0


def checksum() -> str:
    """Of the data that the weights were made from: dialogues and cues."""
    digest = hashlib.sha256()
    for path in (FOLDER / "dev.txt", *sorted(language.FOLDER.glob("*.toml"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
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
    directions = direction(vectors, mean).astype(np.float64)
    numbers = surfaces.astype(np.float64)
    by_words = numbers @ numbers.T + 1.0
    by_both = by_words + _MEANING_WEIGHT * directions @ directions.T
    kept = np.array([label in KINDS for label in labels])
    everything = np.ones(len(labels), dtype=bool)
    wanted = [(everything, kept)]
    wanted += [(everything, np.array([label == name for label in labels])) for name in ("state", "play")]
    wanted += [(kept, np.array([label == kind for label in labels])) for kind in KINDS]
    full = np.stack([_dual(by_both, among, right) for among, right in wanted])
    words = np.stack([_dual(by_words, among, right) for among, right in wanted])
    return {
        "mean": mean,
        "full_vectors": (_MEANING_WEIGHT * full @ directions).astype(np.float16),
        "full_surface": (full @ numbers).astype(np.float16),
        "full_bias": full.sum(axis=1),
        "words_surface": (words @ numbers).astype(np.float16),
        "words_bias": words.sum(axis=1),
        "made_from": json.dumps(made_from),
    }


def _dual(kernel: Floats, among: np.ndarray, right: np.ndarray) -> Floats:
    """Dual weights of every row; 0 for those that take no part."""
    weights: Floats = np.zeros(len(among))
    weights[among] = fit(kernel[np.ix_(among, among)], right[among].astype(np.float64))
    return weights


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
