"""judge_intent(): does this message need memory? Sure patterns first, then the trained head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from search.recall.intent.head import load_head
from search.recall.intent.reading import Reading, read_message
from search.runtime.protocols import Vectors

THRESHOLD = 0.5
"""The head's probabilities are calibrated on held-out folds, so that this is where precision and recall meet."""

_SURE = 0.97
_VETO = frozenset({"text_task", "keep_this", "world", "remind"})
"""Cues beside which a recall pattern is not sure any more and the head decides. A word of the future is none."""


@dataclass(frozen=True, slots=True)
class IntentVerdict:
    """`score` is the probability of "recall"; `evidence` says what decided, for the recall event."""

    verdict: Literal["recall", "none"]
    score: float
    evidence: str


def judge_intent(message: str, vector: Vectors | None) -> IntentVerdict:
    """`vector` is the raw unit query embedding of `message` by the bundled model; without it words alone decide."""
    reading = read_message(message)
    if not reading.scripts and not any(map(str.isalnum, reading.text)):
        return IntentVerdict("none", 0.0, "no words")
    if reading.recall and not reading.none and not reading.cues & _VETO:
        return IntentVerdict("recall", _SURE, f"pattern: {reading.recall}")
    head = load_head()
    score = head.probability(reading, vector)
    return IntentVerdict("recall" if score >= THRESHOLD else "none", round(score, 4), _evidence(reading, vector))


def _evidence(reading: Reading, vector: Vectors | None) -> str:
    cues = ", ".join(sorted(reading.cues)) or "none"
    return f"{'words' if vector is None else 'words and meaning'}; cues: {cues}"
