"""diversify(): maximal marginal relevance; it re-orders, the scores stay as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from search.documents.terms import RUN, WORD, units
from search.runtime.protocols import Vectors

POOL = 50
"""Candidates that MMR may re-order: always the same number, so that a longer list begins like a shorter one."""

_ASCII_WORD = re.compile(r"\w+")
_WORD = re.compile(f"{RUN.pattern}|{WORD}")


def token_set(text: str) -> frozenset[str]:
    """Lower-cased words with their marks; of scripts without spaces each visible character and each adjacent pair."""
    if text.isascii():
        return frozenset(_ASCII_WORD.findall(text.lower()))
    found: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFC", text.lower())):
        if not RUN.match(word):
            found.add(word)
            continue
        found.update(parts := units(word))
        found.update(map("".join, pairwise(parts)))
    return frozenset(found)


def similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard index; two texts without any word are not alike."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0


class Likeness(Protocol):
    """How alike the pool's texts are, 0 to 1."""

    def to(self, index: int) -> Sequence[float]:
        """Of every text of the pool to this one."""


class VectorLikeness:
    """By the chunks' own vectors: how far a pair is above the pool's mean cosine, so that any model's band will do."""

    def __init__(self, vectors: Sequence[Vectors]) -> None:
        rows = np.stack(vectors)
        cosines = rows @ rows.T
        count = len(rows)
        mean = float((cosines.sum() - count) / (count * (count - 1))) if count > 1 else 0.0
        self._likeness = np.clip((cosines - mean) / max(1.0 - mean, 1e-6), 0.0, 1.0)

    def to(self, index: int) -> Sequence[float]:
        row: list[float] = self._likeness[index].tolist()
        return row


class WordLikeness:
    """By shared words, where some text has no vector."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._sets = [token_set(text) for text in texts]

    def to(self, index: int) -> Sequence[float]:
        chosen = self._sets[index]
        return [similarity(chosen, other) for other in self._sets]


def diversify(
    scores: Sequence[float], likeness_of_first: Callable[[int], Likeness], lam: float, limit: int
) -> list[tuple[int, float]]:
    """Greedy order of at most `limit` indexes, each with the penalty it took: (1 - λ) · its likeness to those before.

    `scores` come best first. Relevance is the score scaled to 0..1 over the list; ties go to the higher score.
    `likeness_of_first(n)` is asked once, for as many as can still be chosen.
    """
    high, low = max(scores, default=0.0), min(scores, default=0.0)
    spread = high - low
    relevance = [(score - low) / spread if spread > 0 else 1.0 for score in scores]
    count = _reachable(relevance, lam, limit)
    likeness = likeness_of_first(count)
    remaining = list(range(count))
    nearest = [0.0] * count
    order: list[tuple[int, float]] = []
    while remaining and len(order) < limit:
        best = max(remaining, key=lambda i: (lam * relevance[i] - (1 - lam) * nearest[i], scores[i], -i))
        remaining.remove(best)
        order.append((best, (1 - lam) * nearest[best]))
        nearest = list(map(max, nearest, likeness.to(best)))
    return order


def _reachable(relevance: Sequence[float], lam: float, limit: int) -> int:
    """How many could be among the first `limit`: with the full penalty on the `limit` best, without any on them.

    One that is worse than that is never chosen; leaving it out changes nothing but the time it takes.
    """
    if len(relevance) <= limit:
        return len(relevance)
    least = lam * relevance[limit - 1] - (1 - lam)
    return sum(lam * value >= least for value in relevance)
