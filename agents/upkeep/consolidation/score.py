"""score(): how much an entry deserves a place in the curated memory, by what searches made of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from math import log1p

MIN_SCORE = 0.75
MIN_RECALLS = 3
MIN_QUERIES = 3
MAX_AGE_DAYS = 30
HALF_LIFE_DAYS = 14.0


@dataclass(frozen=True, slots=True)
class Signals:
    """Of one entry. `terms` is how many different words it has that say something."""

    recalls: int
    score_sum: float
    queries: int
    days: tuple[date, ...]
    last_at: datetime
    terms: int


def score(signals: Signals, now: datetime) -> float:
    """0 to 1; every part is capped at 1 before it is weighed."""
    relevance = signals.score_sum / signals.recalls if signals.recalls else 0.0
    frequency = log1p(signals.recalls) / log1p(10)
    diversity = signals.queries / 5
    age = max(0.0, (now - signals.last_at).total_seconds() / 86_400)
    parts = (
        (0.30, relevance),
        (0.24, frequency),
        (0.15, diversity),
        (0.15, 0.5 ** (age / HALF_LIFE_DAYS)),
        (0.10, _consolidation(signals.days)),
        (0.06, signals.terms / 6),
    )
    return round(sum(weight * min(1.0, max(0.0, part)) for weight, part in parts), 4)


def _consolidation(days: tuple[date, ...]) -> float:
    """Whether it came up on several days, and how far those lie apart."""
    if len(days) < 2:
        return 0.2
    span = (max(days) - min(days)).days
    return 0.55 * min(1.0, log1p(len(days) - 1) / log1p(4)) + 0.45 * min(1.0, span / 7)
