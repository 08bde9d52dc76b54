"""weigh(): the relevance times age, importance and project (semantics 4.5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time

from search.dates import DateSpan
from search.profiles import Ranking
from search.rank.candidates import Candidate

SECONDS_PER_DAY = 86_400.0
IN_TIME = 1.25
OUT_OF_TIME = 0.85
"""Dated notes of the days a question names, and of other days. Notes without a date stay as they are."""


def weigh(
    candidates: Iterable[Candidate],
    ranking: Ranking,
    now: datetime,
    projects: frozenset[str],
    spans: Sequence[DateSpan] = (),
) -> None:
    """weighed = score = relevance · decay · importance · project · date, each factor left in the candidate.

    It may pass 1 for important notes, which keeps their order; answers show at most 1.
    """
    for candidate in candidates:
        candidate.age_days = age_in_days(candidate, now)
        # A question about a time is not one about today: its days count, not their age.
        candidate.decay = 1.0 if spans else decay_factor(candidate.age_days, ranking)
        candidate.date_factor = date_factor(candidate.day, spans)
        candidate.importance_factor = importance_factor(candidate.importance) if ranking.importance else 1.0
        candidate.project_factor = project_factor(candidate.projects, projects)
        _multiply(candidate, candidate.fused.score)


def judge_late(candidates: Sequence[Candidate], verdicts: Mapping[int, float], weight: float) -> None:
    """Blend late interaction's scores, by chunk id, into the relevance of those that have one."""
    for candidate in candidates:
        verdict = verdicts.get(candidate.fused.chunk_id)
        if verdict is not None:
            candidate.late_score, candidate.late_weight = verdict, weight
            _multiply(candidate, (1.0 - weight) * candidate.fused.score + weight * verdict)


def _multiply(candidate: Candidate, relevance: float) -> None:
    factors = candidate.decay * candidate.importance_factor * candidate.project_factor * candidate.date_factor
    candidate.relevance = relevance
    candidate.weighed = candidate.score = relevance * factors


def age_in_days(candidate: Candidate, now: datetime) -> float | None:
    """Days since the note's date, or since the file was written; None for notes that do not age.

    A session counts from its last write, a dated note from midnight UTC of its date, everything else from its last
    write, except curated files and topic notes under `memory/`, which are evergreen. The future counts as today.
    """
    if candidate.source == "memory":
        if candidate.day is not None:
            written = datetime.combine(date.fromisoformat(candidate.day), time(), UTC)
            return max(0.0, (now - written).total_seconds() / SECONDS_PER_DAY)
        if candidate.evergreen:
            return None
    return max(0.0, (now.timestamp() - candidate.mtime) / SECONDS_PER_DAY)


def decay_factor(age_days: float | None, ranking: Ranking) -> float:
    """exp(-ln 2 · age / half-life), towards 0 (`exponential`) or towards the floor (`gentle`)."""
    if age_days is None or ranking.decay == "off":
        return 1.0
    remaining = math.exp(-math.log(2) * age_days / max(1e-3, ranking.half_life_days))
    floor = ranking.decay_floor if ranking.decay == "gentle" else 0.0
    return floor + (1.0 - floor) * remaining


def importance_factor(importance: int | None) -> float:
    """0.75 + 0.05 n for n from 1 to 10; without a mark exactly 1, which is also n = 5."""
    return 1.0 if importance is None else 0.75 + 0.05 * min(10, max(1, importance))


def project_factor(keys: tuple[str, ...], active: frozenset[str]) -> float:
    """1.15 when all of the chunk's projects are active, 0.9 when not all are, 1 without keys or active projects."""
    if not keys or not active:
        return 1.0
    return 1.15 if active.issuperset(keys) else 0.9


def date_factor(day: str | None, spans: Sequence[DateSpan]) -> float:
    """Whether a dated note lies in the time that the question names."""
    if day is None or not spans:
        return 1.0
    written = date.fromisoformat(day)
    return IN_TIME if any(span.first <= written <= span.last for span in spans) else OUT_OF_TIME
