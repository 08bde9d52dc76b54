"""Make `<model>.npz` for the bundled model: `python -m search.training.tokens MODELS_DIR [WIDTH]`.

From texts that were written for this repository and stand in no data set: chats and sample notes as documents,
sentences of the recall's judge and everyday questions as queries, of each language alike many.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from search.documents.passages import split_passages
from search.flush.dialogues import FOLDER as DIALOGUES
from search.flush.dialogues import read_dialogues
from search.recall.intent.sentences import read_sentences
from search.runtime import centres, tokens
from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Vectors

HERE = Path(tokens.__file__).parent
DEMO = Path(__file__).parents[2] / "agents" / "setup" / "demo"
OF_EACH = 60
"""Passages, and queries, of each language."""
WIDTH = 192
TURN = 7
"""Seed of the rotation."""


def main(models_dir: Path, width: int) -> None:
    embedder = LlamaEmbedder(ensure_bundled(models_dir), BUNDLED)
    asked = np.concatenate([embedder.token_vectors(text, query=True) for text in _some(_queries().values())])
    held = np.concatenate([embedder.token_vectors(text, query=False) for text in _some(_passages().values())])
    mean = held.mean(axis=0)
    np.savez_compressed(
        HERE / f"{BUNDLED.id}.npz",
        query_mean=asked.mean(axis=0),
        document_mean=mean,
        basis=_basis(held - mean, width).astype(np.float16),
    )
    print(f"{BUNDLED.id}: {width} dimensions from {len(held)} tokens of documents and {len(asked)} of queries")


def _passages() -> dict[str, list[str]]:
    notes = (split_passages(path.read_text("utf-8")) for path in sorted(DEMO.rglob("*.md")))
    found = {"notes": [passage for passages in notes for passage in passages]}
    for one in read_dialogues(DIALOGUES / "dev.txt"):
        told = "\n".join(f"- {turn.text}" for turn in one.turns)
        found.setdefault(one.language, []).extend(split_passages(told))
    return found


def _queries() -> dict[str, list[str]]:
    questions: dict[str, list[str]] = json.loads((Path(centres.__file__).parent / "questions.json").read_text("utf-8"))
    found = {f"{language} questions": asked for language, asked in questions.items()}
    for sentence in read_sentences():
        found.setdefault(sentence.language, []).append(sentence.text)
    return found


def _some(texts: Iterable[Sequence[str]]) -> Iterator[str]:
    """`OF_EACH`, evenly spread over all of them."""
    for listed in texts:
        yield from listed[:: max(1, len(listed) // OF_EACH)][:OF_EACH]


def _basis(centred: Vectors, width: int) -> Vectors:
    """The `width` directions in which tokens differ most, turned at random, so that each sign tells alike much."""
    _, directions = np.linalg.eigh(centred.T @ centred)
    turn, _ = np.linalg.qr(np.random.RandomState(TURN).standard_normal((width, width)))
    basis: Vectors = directions[:, ::-1][:, :width] @ turn
    return basis


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else WIDTH)
