"""evaluate(): index a data set's workspaces, ask its questions in every mode, and sum up per kind and language."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import median

from search.evaluation.dataset import Dataset, Question
from search.evaluation.metrics import METRICS, Mean, Place, mean_with_interval, score_question
from search.index.embed import embed_pending
from search.index.report import Progress
from search.index.update import update_index
from search.outcome import SearchOutcome
from search.pipeline import search
from search.runtime.protocols import Embedder, Generator, Reranker
from search.spec import MEMORY_PATTERNS, CollectionSpec, IndexSpec, Mode, RankingSpec, SearchRequest

DEPTH = 10

Report = Callable[[str, Progress], None]
"""Called with the workspace's name and how far its index is."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One question asked in one mode."""

    question: Question
    places: tuple[Place, ...]
    scores: dict[str, float]
    """Empty for questions without gold."""
    top_score: float
    outcome: str
    timings_ms: dict[str, float]


@dataclass(frozen=True, slots=True)
class ModeResult:
    mode: Mode
    answers: tuple[Answer, ...]

    def mean(self, metric: str, answers: Iterable[Answer] | None = None) -> Mean:
        chosen = self.answers if answers is None else answers
        return mean_with_interval([answer.scores[metric] for answer in chosen if answer.scores])

    def groups(self, attribute: str) -> dict[str, list[Answer]]:
        """Answers by `kind` or `lang`, those with gold only."""
        found: dict[str, list[Answer]] = {}
        for answer in self.answers:
            if answer.scores:
                found.setdefault(getattr(answer.question, attribute), []).append(answer)
        return dict(sorted(found.items()))

    def median_ms(self) -> dict[str, float]:
        stages: dict[str, list[float]] = {}
        for answer in self.answers:
            for stage, took in answer.timings_ms.items():
                stages.setdefault(stage, []).append(took)
        return {stage: round(median(values), 2) for stage, values in stages.items()}

    def as_dict(self) -> dict[str, object]:
        def summary(answers: Iterable[Answer]) -> dict[str, object]:
            chosen = list(answers)
            means = {metric: self.mean(metric, chosen) for metric in METRICS}
            return {
                "n": means[METRICS[0]].n,
                **{metric: [round(m.value, 4), round(m.low, 4), round(m.high, 4)] for metric, m in means.items()},
            }

        return {
            "mode": self.mode,
            "all": summary(self.answers),
            "kind": {kind: summary(answers) for kind, answers in self.groups("kind").items()},
            "lang": {lang: summary(answers) for lang, answers in self.groups("lang").items()},
            "median_ms": self.median_ms(),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Where the indexes of one data set lie, and what is searched with."""

    dataset: Dataset
    folder: Path
    embedder: Embedder | None
    distractors: Sequence[Dataset] = ()
    """Their notes are put into every agent beside its own."""
    reranker: Reranker | None = None
    generator: Generator | None = None
    now: datetime | None = None
    specs: dict[str, IndexSpec] = field(default_factory=dict)

    def build(self, report: Report) -> None:
        """Bring every workspace's index up to date, vectors included; unchanged text costs nothing."""
        for name, root in self.dataset.workspaces.items():
            spec = self._spec(name, root)
            self.specs[name] = spec
            update_index(spec, identity=None, progress=lambda p, n=name: report(n, p), cancelled=lambda: False)  # type: ignore[misc]
            if self.embedder is not None:
                embed_pending(
                    spec,
                    self.embedder,
                    budget_seconds=86_400,
                    progress=lambda p, n=name: report(n, p),  # type: ignore[misc]
                    cancelled=lambda: False,
                )

    def _spec(self, name: str, root: Path) -> IndexSpec:
        own = CollectionSpec("memory", root, MEMORY_PATTERNS, curated=("MEMORY.md", "USER.md"))
        others = [
            CollectionSpec(f"{other.name}-{workspace}", path, prefix=f"{other.name}-{workspace}/")
            for other in self.distractors
            for workspace, path in other.workspaces.items()
        ]
        return IndexSpec(name, self.folder / f"{name}.sqlite", (own, *others))

    def run(
        self,
        mode: Mode,
        *,
        ranking: RankingSpec | None = None,
        questions: Sequence[Question] | None = None,
        answered: Callable[[], None],
    ) -> ModeResult:
        """Ask all questions of the data set, or these; `answered` is called after each."""
        answers = []
        for question in self.dataset.questions if questions is None else questions:
            answers.append(self._ask(question, mode, ranking or RankingSpec()))
            answered()
        return ModeResult(mode, tuple(answers))

    def search(
        self, workspace: str, query: str, mode: Mode, *, abstain: bool = False, ranking: RankingSpec
    ) -> SearchOutcome:
        """One search as the measurements make it: without `min_score`, with patience for the model."""
        request = SearchRequest(
            query,
            mode=mode,
            max_results=DEPTH,
            min_score=0.0,
            abstain=abstain,
            embed_timeout_ms=30_000,
            now=self.now,
            ranking=ranking,
        )
        return search(self.specs[workspace], request, self.embedder, reranker=self.reranker, generator=self.generator)

    def _ask(self, question: Question, mode: Mode, ranking: RankingSpec) -> Answer:
        started = time.perf_counter()
        outcome = self.search(question.workspace, question.query, mode, ranking=ranking)
        took = (time.perf_counter() - started) * 1000
        places = tuple(Place(hit.path, hit.start_line, hit.end_line, hit.snippet) for hit in outcome.results)
        return Answer(
            question,
            places,
            score_question(question.gold, places) if question.gold else {},
            max((hit.score for hit in outcome.results), default=0.0),
            outcome.outcome,
            {**outcome.timings_ms, "total": took},
        )
