"""fuse(): two legs to one score between 0 and 1, without stretching noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from search.rank.candidates import Candidate
from search.rank.profiles import Ranking
from search.retrieve.keyword import KeywordHit
from search.retrieve.vector import VectorHit


def put_legs(
    candidates: dict[int, Candidate], keyword: Sequence[KeywordHit], vector: Sequence[VectorHit], ranking: Ranking
) -> None:
    """Write each leg's rank, raw score and 0..1 score into the candidates.

    Keyword scores are divided by the best one, cosines mapped from the model's own band. Min-max scaling would turn
    the worst of two hundred good hits into 0 and the best of two hundred bad ones into 1.
    """
    best = keyword[0].raw if keyword else 1.0
    for rank, hit in enumerate(keyword, 1):
        candidate = candidates.get(hit.chunk_id)
        if candidate is not None:
            candidate.keyword_rank, candidate.keyword_raw = rank, hit.raw
            candidate.keyword_score = _divided(hit.raw, best) if ranking.keyword_norm == "best" else saturated(hit.raw)
    band = max(1e-6, ranking.vector_ceiling - ranking.vector_floor)
    for rank, near in enumerate(vector, 1):
        candidate = candidates.get(near.chunk_id)
        if candidate is not None:
            candidate.vector_rank, candidate.vector_raw = rank, near.cosine
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
