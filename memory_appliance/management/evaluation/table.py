"""The figures of an evaluation as a table: per mode, per kind and per language, with n and 95 % intervals."""

from __future__ import annotations

from collections.abc import Iterator

from search.evaluation.metrics import METRICS
from search.evaluation.run import Answer, ModeResult

_WIDTH = 24


def table(result: ModeResult) -> Iterator[str]:
    """Lines of text."""
    yield f"{result.mode}"
    yield f"  {'':{_WIDTH}}{'n':>5}  " + "  ".join(f"{metric:^21}" for metric in METRICS)
    yield _row("all", result, list(result.answers))
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
