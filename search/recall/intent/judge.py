"""judge_intent(): does this message need memory? Sure patterns first, then the trained head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from search.recall.intent.reading import read_message
from search.runtime.protocols import Vectors

_SURE = 0.97
"""Score of a message that a sure pattern settles."""


@dataclass(frozen=True, slots=True)
class IntentVerdict:
    """`score` is the calibrated probability of "recall"; `evidence` says what decided, for the recall event."""

    verdict: Literal["recall", "none"]
    score: float
    evidence: str


def judge_intent(message: str, vector: Vectors | None) -> IntentVerdict:
    """`vector` is the raw unit query embedding of `message` by the bundled model, or None."""
    reading = read_message(message)
    if reading.recall and not reading.none:
        return IntentVerdict("recall", _SURE, f"pattern: {reading.recall}")
    return IntentVerdict("none", 1 - _SURE, f"pattern: {reading.none}" if reading.none else "nothing asks for memory")
