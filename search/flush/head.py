"""Head: the trained weights beside this file, and what they say of a text: worth a note, only so for now, which kind.

Ridge regressions on the surface of a text and on how near its embedding is to each training line, or on the surface
alone where there is no vector of the bundled model. `python -m search.flush.train MODELS_DIR` makes the weights from
`dialogues/dev.txt`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from search.recall.intent.features import Numbers, direction, likeness
from search.recall.intent.head import restored
from search.runtime.protocols import Vectors

WEIGHTS = Path(__file__).parent / "head.npz"
KINDS = ("decision", "fact", "preference", "task")
WORDS_TRUST = 0.5
"""How sure the words are, beside the meaning: they were seen in fewer shapes than there are."""
SHARPNESS = 2.0
"""Of the likeness to the training lines."""
OUTPUTS = ("keep", "state", "play", *KINDS)


@dataclass(frozen=True, slots=True)
class Verdict:
    """About log-odds: above 0 is more likely than not. `kinds` holds for a text that is worth a note."""

    keep: float
    state: float
    play: float
    kinds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """A row per output. `full_*` go together; `words_*` stand for them where there is no vector.

    `landmarks` are the training lines as unit vectors from `mean`.
    """

    mean: Numbers
    landmarks: Numbers
    full_landmarks: Numbers
    full_surface: Numbers
    full_bias: Numbers
    words_surface: Numbers
    words_bias: Numbers
    made_from: dict[str, Any]
    """Checksum of the training data and cues, the model's id, the number of lines."""

    def judge(self, numbers: Numbers, vector: Vectors | None) -> Verdict:
        """A vector of other dimensions is left aside."""
        if vector is None or vector.shape != self.mean.shape:
            odds = WORDS_TRUST * (self.words_surface @ numbers + self.words_bias)
        else:
            near = likeness(direction(vector, self.mean), self.landmarks, SHARPNESS)
            odds = self.full_surface @ numbers + self.full_landmarks @ near + self.full_bias
        keep, state, play, *kinds = (float(value) for value in odds)
        return Verdict(keep, state, play, tuple(kinds))


@cache
def load_head(path: Path = WEIGHTS) -> Head:
    """Read once per process."""
    with np.load(path) as stored:
        numbers = {name: stored[name].astype(np.float32) for name in stored.files if name != "made_from"}
        numbers["landmarks"] = restored(stored["landmarks"])
        return Head(**numbers, made_from=json.loads(str(stored["made_from"])))
