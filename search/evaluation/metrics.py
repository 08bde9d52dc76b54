"""Recall@k, shown@k, MRR@10 and nDCG@10 of one question, and their means with 95 % bootstrap intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from search.evaluation.dataset import Gold

METRICS = ("recall@1", "recall@5", "recall@10", "shown@5", "shown@10", "mrr@10", "ndcg@10")
_RESAMPLES = 1_000
_SEED = 20260901


@dataclass(frozen=True, slots=True)
class Place:
    """A returned chunk: path, 1-based inclusive lines, and what of it the caller gets to read."""

    path: str
    start_line: int
    end_line: int
    snippet: str


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over `n` questions with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int


def score_question(gold: Sequence[Gold], places: Sequence[Place]) -> dict[str, float]:
    """Every metric of one question with at least one gold line.

    Recall@k is the share of gold lines that the first k chunks cover; shown@k the share whose words can be read in
    their snippets, which is what an agent gets. In nDCG a passage gains 1 when it covers a
    gold line that none before it covered.
    """
    open_gold = list(gold)
    shown = [
        next((rank for rank, place in enumerate(places, 1) if _covers(place, one) and one.shown_in(place.snippet)), 0)
        for one in gold
    ]
    first_cover: dict[int, int] = {}
    gains: list[int] = []
    for rank, place in enumerate(places, 1):
        covered = [g for g in open_gold if _covers(place, g)]
        open_gold = [g for g in open_gold if g not in covered]
        gains.append(1 if covered else 0)
        if covered:
            first_cover[rank] = len(covered)
    found_by = {k: sum(count for rank, count in first_cover.items() if rank <= k) / len(gold) for k in (1, 5, 10)}
    first = min(first_cover, default=None)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(gold), 10) + 1))
    gained = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:10], 1))
    return {
        **{f"recall@{k}": share for k, share in found_by.items()},
        **{f"shown@{k}": sum(0 < rank <= k for rank in shown) / len(gold) for k in (5, 10)},
        "mrr@10": 1 / first if first is not None and first <= 10 else 0.0,
        "ndcg@10": min(1.0, gained / ideal),
    }


def _covers(place: Place, gold: Gold) -> bool:
    return gold.covered_by(place.path, place.start_line, place.end_line)


def mean_with_interval(values: Sequence[float]) -> Mean:
    """Percentile bootstrap with a fixed seed, so that the same values give the same interval."""
    if not values:
        return Mean(0.0, 0.0, 0.0, 0)
    array = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(_SEED)
    means = array[rng.integers(0, len(array), (_RESAMPLES, len(array)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Mean(float(array.mean()), float(low), float(high), len(array))
