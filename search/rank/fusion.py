"""fuse(): two legs to one score between 0 and 1, without stretching noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from search.rank.candidates import Candidate
from search.rank.profiles import Ranking
from search.retrieve.keyword import KeywordHit
from search.retrieve.vector import NearestPassage


def put_keyword_scores(candidates: Mapping[int, Candidate], hits: Sequence[KeywordHit], ranking: Ranking) -> None:
    """The keyword leg's rank, raw score and 0..1 score of each candidate.

    Scores are divided by the best one. Min-max scaling would turn the worst of two hundred good hits into 0 and the
    best of two hundred bad ones into 1.
    """
    best = hits[0].raw if hits else 1.0
    for rank, hit in enumerate(hits, 1):
        candidate = candidates.get(hit.chunk_id)
        if candidate is not None:
            candidate.keyword_rank, candidate.keyword_raw = rank, hit.raw
            candidate.keyword_score = _divided(hit.raw, best) if ranking.keyword_norm == "best" else saturated(hit.raw)


def put_vector_scores(
    candidates: Mapping[int, Candidate], nearest: Mapping[int, NearestPassage], ranking: Ranking
) -> None:
    """Rank, cosine and 0..1 score of each candidate's nearest passage; cosines are mapped from the model's own band."""
    band = max(1e-6, ranking.vector_ceiling - ranking.vector_floor)
    ordered = sorted(nearest.items(), key=lambda item: (-item[1].cosine, item[0]))
    for rank, (chunk_id, near) in enumerate(ordered, 1):
        candidate = candidates.get(chunk_id)
        if candidate is not None:
            candidate.vector_rank, candidate.vector_raw, candidate.passage = rank, near.cosine, near.ordinal
            candidate.vector_score = min(1.0, max(0.0, (near.cosine - ranking.vector_floor) / band))


def _divided(raw: float, best: float) -> float:
    return raw / best if best > 0 else 1.0


def saturated(raw: float) -> float:
    """|r| / (1 + |r|): the reference's keyword score (semantics 4.2)."""
    return raw / (1.0 + raw) if raw > 0 else 1.0


def boost_lexically(candidates: Iterable[Candidate], terms: Sequence[str]) -> None:
    """The reference's lexical boost on keyword hits (semantics 4.2); the texts must have been loaded.

    score + 0.45 · matched/terms + 0.2 · matched/distinct words + 0.18 per term in the path + min(length/160, 0.18),
    at most 1.
    """
    wanted = set(terms)
    if not wanted:
        return
    for candidate in candidates:
        if candidate.keyword_rank is None:
            continue
        text = candidate.text.lower()
        words = set(text.split())
        matched = sum(term in text for term in wanted)
        in_path = sum(term in candidate.path.lower() for term in wanted)
        boosted = (
            candidate.keyword_score
            + 0.45 * matched / len(wanted)
            + 0.2 * matched / max(1, len(words))
            + 0.18 * in_path
            + min(len(text) / 160, 0.18)
        )
        candidate.keyword_score = min(1.0, boosted)


def fuse(candidates: Iterable[Candidate], ranking: Ranking, *, keyword_only: bool, vector_only: bool) -> None:
    """fused = vector weight · vector score + keyword weight · keyword score; one leg alone counts fully."""
    vector_weight = 0.0 if keyword_only else 1.0 if vector_only else ranking.vector_weight
    keyword_weight = 1.0 if keyword_only else 0.0 if vector_only else ranking.keyword_weight
    for candidate in candidates:
        candidate.fused = vector_weight * candidate.vector_score + keyword_weight * candidate.keyword_score
