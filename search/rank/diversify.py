"""diversify(): maximal marginal relevance over the snippets; it re-orders, the scores stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from search.documents.terms import CJK_RUN

POOL = 50
"""Candidates that MMR may re-order: always the same number, so that a longer list begins like a shorter one."""

_WORD = re.compile(r"\w+")


def token_set(text: str) -> frozenset[str]:
    """Lower-cased words, and for Han, kana and Hangul each character and each adjacent pair."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if word.isascii():
            found.add(word)
            continue
        rest = word
        for run in CJK_RUN.findall(word):
            found.update(run)
            found.update(run[i : i + 2] for i in range(len(run) - 1))
            rest = rest.replace(run, " ")
        found.update(rest.split())
    return frozenset(found)


def similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard index; two texts without any word are not alike."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0


def diversify(
    scores: Sequence[float], text_of: Callable[[int], str], lam: float, limit: int
) -> list[tuple[int, float]]:
    """Greedy order of at most `limit` indexes, each with the penalty it took: (1 - λ) · its likeness to those before.

    `scores` come best first. Relevance is the score scaled to 0..1 over the list; ties go to the higher score.
    `text_of` is asked only for those that can still be chosen.
    """
    high, low = max(scores, default=0.0), min(scores, default=0.0)
    spread = high - low
    relevance = [(score - low) / spread if spread > 0 else 1.0 for score in scores]
    remaining = _reachable(relevance, lam, limit)
    sets = {index: token_set(text_of(index)) for index in remaining}
    likeness = dict.fromkeys(remaining, 0.0)
    order: list[tuple[int, float]] = []
    while remaining and len(order) < limit:
        best = max(remaining, key=lambda i: (lam * relevance[i] - (1 - lam) * likeness[i], scores[i], -i))
        remaining.remove(best)
        order.append((best, (1 - lam) * likeness[best]))
        for i in remaining:
            likeness[i] = max(likeness[i], similarity(sets[i], sets[best]))
    return order


def _reachable(relevance: Sequence[float], lam: float, limit: int) -> list[int]:
    """Indexes that could be among the first `limit`: with the full penalty on the `limit` best, without any on them.

    Whoever is worse than that is never chosen, so leaving him out changes nothing but the time it takes.
    """
    if len(relevance) <= limit:
        return list(range(len(relevance)))
    least = lam * relevance[limit - 1] - (1 - lam)
    return [index for index, value in enumerate(relevance) if lam * value >= least]
