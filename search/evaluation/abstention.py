"""measure_abstention(): whether a search that may stay silent does so when nothing answers, and only then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from search.evaluation.run import Evaluation
from search.spec import Mode, RankingSpec


@dataclass(frozen=True, slots=True)
class Abstention:
    """Counts over answerable questions and over questions that nothing answers."""

    answerable: int
    silent_wrongly: int
    unanswerable: int
    silent_rightly: int

    @property
    def precision(self) -> float:
        """Of all silences, the share that was right."""
        silent = self.silent_rightly + self.silent_wrongly
        return self.silent_rightly / silent if silent else 1.0

    @property
    def recall(self) -> float:
        """Of all questions that nothing answers, the share met with silence."""
        return self.silent_rightly / self.unanswerable if self.unanswerable else 1.0


def measure_abstention(
    evaluation: Evaluation, mode: Mode, ranking: RankingSpec, *, answered: Callable[[], None]
) -> Abstention:
    """Every question of its own workspace and of the next one, which knows nothing of it."""
    counts = {True: [0, 0], False: [0, 0]}
    for workspace, query, answerable in cases(evaluation):
        outcome = evaluation.search(workspace, query, mode, abstain=True, ranking=ranking)
        counts[answerable][0] += 1
        counts[answerable][1] += outcome.outcome != "ok"
        answered()
    return Abstention(*counts[True], *counts[False])


def cases(evaluation: Evaluation) -> Iterator[tuple[str, str, bool]]:
    """(workspace, query, whether something there answers it)."""
    names = list(evaluation.dataset.workspaces)
    for question in evaluation.dataset.questions:
        if question.kind != "adversarial":
            yield question.workspace, question.query, bool(question.gold)
        other = names[(names.index(question.workspace) + 1) % len(names)]
        if other != question.workspace:
            yield other, question.query, False
