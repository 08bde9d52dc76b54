"""The named ranking profiles and what each embedding model adds to the default one.

`reference` is OpenClaw's formula (weights 0.7/0.3, its keyword score with lexical boost, raw cosine, exponential
decay of 30 days, MMR 0.7). `default` is what measured best; see docs/ranking.md for the figures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from search.runtime.presets import PRESETS
from search.runtime.tokens import token_vectors
from search.spec import RankingSpec

CANDIDATES = 150
"""Rows that each leg contributes, whatever `max_results` is, so that the first results never change with it."""
MOST_CANDIDATES = 1_000


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every number of the ranking, none left open."""

    vector_weight: float
    keyword_weight: float
    keyword_norm: Literal["best", "reference"]
    coverage: float
    """With `best`: the share of the query's whole weight that a full keyword score needs."""
    centre: bool
    """Whether the query's language is taken out of its vector (runtime/centres)."""
    vector_floor: float
    """Cosine that counts as 0."""
    vector_ceiling: float
    """Cosine that counts as 1."""
    late_weight: float
    """What late interaction counts beside the fused score; 0: off, as for models without vectors of tokens."""
    decay: Literal["off", "exponential", "gentle"]
    half_life_days: float
    decay_floor: float
    """`gentle` decays towards this factor, `exponential` towards 0."""
    dates: bool
    """Whether times named in a question count."""
    answers_from: float
    """Best score below which a search that may abstain does so."""
    importance: bool
    mmr: bool
    mmr_lambda: float
    candidates: int = CANDIDATES


REFERENCE = Ranking(
    vector_weight=0.7,
    keyword_weight=0.3,
    keyword_norm="reference",
    coverage=0.0,
    centre=False,
    vector_floor=0.0,
    vector_ceiling=1.0,
    late_weight=0.0,
    decay="exponential",
    half_life_days=30.0,
    decay_floor=0.0,
    dates=False,
    answers_from=0.35,
    importance=True,
    mmr=True,
    mmr_lambda=0.7,
)
DEFAULT = Ranking(
    vector_weight=0.7,
    keyword_weight=0.3,
    keyword_norm="best",
    coverage=0.5,
    centre=True,
    vector_floor=0.0,
    vector_ceiling=1.0,
    late_weight=0.0,
    decay="gentle",
    half_life_days=30.0,
    decay_floor=0.97,
    dates=True,
    answers_from=0.43,
    importance=True,
    mmr=True,
    mmr_lambda=0.93,
)
LATE = replace(DEFAULT, late_weight=0.4, vector_weight=0.6, keyword_weight=0.4, answers_from=0.45)
"""The default where the model gives vectors of tokens: the words count more, because the tokens speak for the meaning
too."""
PROFILES = {"default": DEFAULT, "reference": REFERENCE}


def resolve(asked: RankingSpec, model: str) -> Ranking:
    """The profile, fitted to the model of the index, with the owner's or the request's own numbers on top."""
    ranking = PROFILES[asked.profile]
    late = token_vectors(model) is not None and asked.late_interaction
    if asked.profile == "default" and late:
        ranking = LATE
    preset = PRESETS.get(model)
    if asked.profile == "default" and preset is not None:
        # The cosines of a model lie in a band of their own.
        band = preset.calibration
        ranking = replace(ranking, vector_floor=band.floor, vector_ceiling=band.ceiling)
    vector = ranking.vector_weight if asked.vector_weight is None else asked.vector_weight
    keyword = ranking.keyword_weight if asked.keyword_weight is None else asked.keyword_weight
    total = vector + keyword
    if total <= 0:
        vector, keyword, total = ranking.vector_weight, ranking.keyword_weight, 1.0
    return replace(
        ranking,
        vector_weight=vector / total,
        keyword_weight=keyword / total,
        decay=ranking.decay if asked.decay is None else asked.decay,
        half_life_days=ranking.half_life_days if asked.half_life_days is None else asked.half_life_days,
        importance=ranking.importance if asked.importance is None else asked.importance,
        mmr=ranking.mmr if asked.mmr is None else asked.mmr,
        mmr_lambda=ranking.mmr_lambda if asked.mmr_lambda is None else min(1.0, max(0.0, asked.mmr_lambda)),
        candidates=ranking.candidates if asked.candidates is None else asked.candidates,
    )
