"""tune(): pick the weight of the vectors on one half of the questions and report it on the other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from search.evaluation.dataset import Question
from search.evaluation.run import Evaluation, ModeResult
from search.spec import RankingSpec

WEIGHTS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Tuning:
    """`chosen` weight, what each weight reached on the half it was chosen on, and both on the other half."""

    chosen: float
    tried: dict[float, float]
    tuned: ModeResult
    default: ModeResult


def tune(evaluation: Evaluation, ranking: RankingSpec, *, answered: Callable[[], None]) -> Tuning:
    """By nDCG@10 in mode `hybrid`. The halves are drawn by a digest of the question's id, the same in every run."""
    first, second = halves(evaluation.dataset.questions)
    tried = {}
    for weight in WEIGHTS:
        result = evaluation.run("hybrid", ranking=_weighted(ranking, weight), questions=first, answered=answered)
        tried[weight] = result.mean("ndcg@10").value
    chosen = max(WEIGHTS, key=lambda weight: tried[weight])
    return Tuning(
        chosen,
        tried,
        evaluation.run("hybrid", ranking=_weighted(ranking, chosen), questions=second, answered=answered),
        evaluation.run("hybrid", ranking=ranking, questions=second, answered=answered),
    )


def halves(questions: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    drawn: tuple[list[Question], list[Question]] = ([], [])
    for question in questions:
        drawn[hashlib.sha256(question.qid.encode()).digest()[0] % 2].append(question)
    return drawn


def _weighted(ranking: RankingSpec, weight: float) -> RankingSpec:
    return replace(ranking, vector_weight=weight, keyword_weight=1.0 - weight)
