"""fuse(): two legs to one score between 0 and 1, without stretching noise."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from search.outcome import FoundBy
from search.profiles import Ranking
from search.retrieve.keyword import KeywordLeg
from search.variants import VariantHits

RRF_K = 60
ORIGINAL_WEIGHT = 2.0
"""The query itself counts as much as two variants."""
_ABSENT: tuple[None, None] = (None, None)
KEEP = 120
"""Best candidates that go on to the weights, whatever `max_results` is."""


class Fused(NamedTuple):
    """One chunk's scores of both legs. Ranks count from 1; a leg that did not find it left None and 0."""

    chunk_id: int
    score: float
    keyword_rank: int | None = None
    keyword_raw: float | None = None
    keyword_score: float = 0.0
    vector_rank: int | None = None
    vector_raw: float | None = None
    vector_score: float = 0.0
    rrf: float | None = None
    """Share of the reciprocal rank fusion it could reach; None without variants."""
    found_by: tuple[FoundBy, ...] = ()


@dataclass(frozen=True, slots=True)
class Weights:
    """What each leg counts in this search: the ranking's weights, or 1 and 0 where only one leg could answer."""

    keyword: float
    vector: float


def weights_of(ranking: Ranking, *, keyword: bool, vector: bool) -> Weights:
    if keyword and vector:
        return Weights(ranking.keyword_weight, ranking.vector_weight)
    return Weights(1.0, 0.0) if keyword else Weights(0.0, 1.0)


def fuse(
    keyword: KeywordLeg,
    cosines: Mapping[int, float],
    ranking: Ranking,
    weights: Weights,
    *,
    variants: Sequence[VariantHits] = (),
    named: Collection[int] = (),
    also: Collection[int] = (),
) -> list[Fused]:
    """`named` chunks first, then the best chunks of both legs and all variants, `KEEP` in all.

    score = keyword weight · keyword score + vector weight · vector score.

    The keyword score is the share of the query's weight that a chunk matches: raw / max(best raw, coverage · ideal).
    Cosines are mapped from the model's own band. Min-max scaling would turn the worst of two hundred good hits into 0
    and the best of two hundred bad ones into 1.
    """
    whole = max(keyword.hits[0].raw, ranking.coverage * keyword.ideal, 1e-12) if keyword.hits else 1.0
    band = max(1e-6, ranking.vector_ceiling - ranking.vector_floor)
    best = ranking.keyword_norm == "best"
    by_words = {hit.chunk_id: hit.raw / whole if best else saturated(hit.raw) for hit in keyword.hits}
    by_meaning = {
        chunk_id: min(1.0, max(0.0, (cosine - ranking.vector_floor) / band)) for chunk_id, cosine in cosines.items()
    }
    by_variant = {chunk_id for hits in variants for chunk_id in hits.chunk_ids}
    scores = {
        chunk_id: weights.keyword * by_words.get(chunk_id, 0.0) + weights.vector * by_meaning.get(chunk_id, 0.0)
        for chunk_id in by_words.keys() | by_meaning.keys() | by_variant | set(named) | set(also)
    }
    order = sorted(scores, key=lambda chunk_id: (chunk_id not in named, -scores[chunk_id], chunk_id))
    words = {hit.chunk_id: (rank, hit.raw) for rank, hit in enumerate(keyword.hits, 1)}
    near = sorted(sorted(cosines), key=cosines.__getitem__, reverse=True)
    meaning = {chunk_id: rank for rank, chunk_id in enumerate(near, 1)}
    # Variants re-order, so that all are needed; without them only the best are worth a value of their own.
    fused = [
        Fused(
            chunk_id,
            scores[chunk_id],
            words.get(chunk_id, _ABSENT)[0],
            words.get(chunk_id, _ABSENT)[1],
            by_words.get(chunk_id, 0.0),
            meaning.get(chunk_id),
            cosines.get(chunk_id),
            by_meaning.get(chunk_id, 0.0),
        )
        for chunk_id in (order if variants else order[:KEEP])
    ]
    if variants:
        fused = _with_variants(sorted(fused, key=lambda one: (-one.score, one.chunk_id)), variants)
        fused.sort(key=lambda one: (one.chunk_id not in named, -one.score, one.chunk_id))
    return fused[:KEEP]


def _with_variants(fused: Sequence[Fused], variants: Sequence[VariantHits]) -> list[Fused]:
    """Reciprocal rank fusion (Cormack et al. 2009, k = 60) of the query itself, counted twice, and its variants.

    Half of the new score is the old one, so that `min_score` and abstention keep their meaning.
    """
    ranks = [(hits.variant, {chunk_id: rank for rank, chunk_id in enumerate(hits.chunk_ids, 1)}) for hits in variants]
    most = (ORIGINAL_WEIGHT + len(ranks)) / (RRF_K + 1)
    scored = []
    for own_rank, one in enumerate(fused, 1):
        found_by = tuple(
            FoundBy(variant.kind, variant.text, by_rank[one.chunk_id])
            for variant, by_rank in ranks
            if one.chunk_id in by_rank
        )
        total = ORIGINAL_WEIGHT / (RRF_K + own_rank) + sum(1 / (RRF_K + found.rank) for found in found_by)
        scored.append(one._replace(score=0.5 * one.score + 0.5 * total / most, rrf=total / most, found_by=found_by))
    return scored


def saturated(raw: float) -> float:
    """|r| / (1 + |r|): the reference's keyword score (semantics 4.2)."""
    return raw / (1.0 + raw) if raw > 0 else 1.0


def boosted(one: Fused, text: str, path: str, terms: Sequence[str], weights: Weights) -> Fused:
    """The reference's lexical boost on a keyword hit (semantics 4.2).

    score + 0.45 · matched/terms + 0.2 · matched/distinct words + 0.18 per term in the path + min(length/160, 0.18),
    at most 1.
    """
    wanted = set(terms)
    if one.keyword_rank is None or not wanted:
        return one
    text = text.lower()
    matched = sum(term in text for term in wanted)
    keyword_score = min(
        1.0,
        one.keyword_score
        + 0.45 * matched / len(wanted)
        + 0.2 * matched / max(1, len(set(text.split())))
        + 0.18 * sum(term in path.lower() for term in wanted)
        + min(len(text) / 160, 0.18),
    )
    score = weights.keyword * keyword_score + weights.vector * one.vector_score
    return one._replace(keyword_score=keyword_score, score=score)
