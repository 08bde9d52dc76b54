"""The figures of an evaluation as a table: per mode, per kind and per language, with n and 95 % intervals."""

from __future__ import annotations

from collections.abc import Iterator

from search.evaluation.abstention import Abstention
from search.evaluation.metrics import METRICS
from search.evaluation.run import Answer, ModeResult
from search.evaluation.tune import Tuning

_WIDTH = 24


def table(result: ModeResult) -> Iterator[str]:
    """Lines of text."""
    yield f"{result.mode}"
    yield f"  {'':{_WIDTH}}{'n':>5}  " + "  ".join(f"{metric:^21}" for metric in METRICS)
    yield _row("all", result, list(result.answers))
    headline = [answer for answer in result.answers if answer.question.kind != "adversarial"]
    if len(headline) < len(result.answers):
        yield _row("all but adversarial", result, headline)
    for title, attribute in (("kind", "kind"), ("language", "lang")):
        for name, answers in result.groups(attribute).items():
            yield _row(f"{title} {name}", result, answers)
    stages = "  ".join(f"{stage} {took}" for stage, took in result.median_ms().items())
    yield f"  median ms: {stages}"


def _row(name: str, result: ModeResult, answers: list[Answer]) -> str:
    means = [result.mean(metric, answers) for metric in METRICS]
    cells = "  ".join(f"{mean.value:.3f} [{mean.low:.3f}, {mean.high:.3f}]" for mean in means)
    return f"  {name:{_WIDTH}}{means[0].n:>5}  {cells}"


def differences(result: dict[str, object], earlier: dict[str, object]) -> Iterator[str]:
    """How the overall figures moved since an earlier run of the same mode."""
    now, before = result["all"], earlier["all"]
    assert isinstance(now, dict) and isinstance(before, dict)
    moved = (f"{metric} {now[metric][0] - before[metric][0]:+.3f}" for metric in METRICS)
    yield f"  since the earlier run: {'  '.join(moved)}"


def abstention_lines(measured: Abstention) -> Iterator[str]:
    yield "abstention"
    yield f"  precision {measured.precision:.3f}   recall {measured.recall:.3f}"
    yield f"  silent on {measured.silent_rightly} of {measured.unanswerable} questions that nothing answers"
    yield f"  silent on {measured.silent_wrongly} of {measured.answerable} questions that have an answer"


def tuning_lines(tuning: Tuning) -> Iterator[str]:
    yield "weight of the vectors, nDCG@10 on the half it is chosen on:"
    yield "  " + "  ".join(f"{weight:.1f}: {value:.3f}" for weight, value in tuning.tried.items())
    yield f"chosen {tuning.chosen:.1f}; on the other half:"
    for name, result in (("chosen", tuning.tuned), ("default", tuning.default)):
        means = "  ".join(f"{metric} {result.mean(metric).value:.3f}" for metric in METRICS)
        yield f"  {name:8} {means}"
