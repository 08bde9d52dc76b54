"""Make `<model>.npy` for the bundled model: `python -m search.training.centres MODELS_DIR`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from search.runtime import centres
from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED

HERE = Path(centres.__file__).parent


def main(models_dir: Path) -> None:
    embedder = LlamaEmbedder(ensure_bundled(models_dir), BUNDLED)
    questions: dict[str, list[str]] = json.loads((HERE / "questions.json").read_text("utf-8"))
    means = [np.mean([embedder.embed_query(q, timeout=60) for q in asked], axis=0) for asked in questions.values()]
    np.save(HERE / f"{BUNDLED.id}.npy", np.stack(means).astype(np.float32))
    print(f"{BUNDLED.id}: {len(means)} languages from {sum(map(len, questions.values()))} questions")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
