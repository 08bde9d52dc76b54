"""review_index(): the lines of an agent's notes that say the same twice or disagree, within a bounded time."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from search.errors import Cancelled
from search.index.pool import reading
from search.index.report import IsCancelled, Progress, ReportProgress
from search.index.schema import generation
from search.review.judge import Kind, Weight, judge
from search.review.lines import Line, Lines, read_lines
from search.review.near import Pair, near_passages, sharing_words
from search.review.words import Said, said
from search.sentences import sentence
from search.spec import IndexSpec

MOST_LINES = 12_000
"""About a year of busy notes; comparing takes the square of it, and memory for as many vectors."""
MOST_FINDINGS = 60
"""Of each kind; whoever has looked at these asks again."""
MOST_VALUES = 3
"""A subject with more different values than this is a series (a weight, a bill), and no contradiction."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Two lines and what is between them: `one` stands in the older file, or before the other in the same one."""

    kind: Kind
    one: Line
    other: Line
    likeness: float
    values: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class Review:
    """`generation` of the index that was looked at. `by_meaning` is False where there were no vectors to go by."""

    findings: tuple[Finding, ...]
    lines: int
    files: int
    files_left_out: int
    series: int
    by_meaning: bool
    generation: int


def review_index(
    spec: IndexSpec, *, progress: ReportProgress, cancelled: IsCancelled, most_lines: int = MOST_LINES
) -> Review:
    """Changes nothing. Raises `IndexUnavailable`, and `Cancelled` when asked to stop."""
    with reading(spec.path) as connection:
        seen = generation(connection)
        found = read_lines(connection, spec, most_lines=most_lines)
    sayings: list[Said] = []
    for place, line in enumerate(found.lines):
        sayings.append(said(line.text))
        if place % 200 == 0:
            _pause(place, len(found.lines), progress, cancelled)
    pairs = sharing_words(sayings) | near_passages(found, lambda done, total: _pause(done, total, progress, cancelled))
    findings, series = _without_series(_judged(found, sayings, pairs))
    return Review(_best(findings), len(found.lines), found.files, found.left_out, series, len(found.vectors) > 0, seen)


def _pause(done: int, total: int, progress: ReportProgress, cancelled: IsCancelled) -> None:
    if cancelled():
        raise Cancelled(sentence("the review was stopped"))
    progress(Progress(done, total, "chunks"))


def _judged(found: Lines, sayings: Sequence[Said], pairs: set[Pair]) -> list[Finding]:
    weight = _weights(sayings)
    findings = []
    for a, b in sorted(pairs):
        verdict = judge(sayings[a], sayings[b], weight)
        if verdict is None:
            continue
        one, other = found.lines[a], found.lines[b]
        values = (verdict.first, verdict.second)
        if (other.day, other.path, other.number) < (one.day, one.path, one.number):
            one, other, values = other, one, (values[1], values[0])
        findings.append(Finding(verdict.kind, one, other, round(verdict.likeness, 3), values))
    return findings


def _weights(sayings: Sequence[Said]) -> Weight:
    counts = Counter(word for one in sayings for word in one.words)
    total = len(sayings)
    return lambda word: math.log(1 + total / (1 + counts[word]))


def _without_series(findings: list[Finding]) -> tuple[list[Finding], int]:
    """Lines that differ from each other in ever new values are a record of something that goes on."""
    values: dict[tuple[str, int], set[tuple[str, ...]]] = defaultdict(set)
    for finding in findings:
        if finding.kind in ("number", "date"):
            values[finding.one.path, finding.one.number].update(finding.values)
            values[finding.other.path, finding.other.number].update(finding.values)
    kept = [
        finding
        for finding in findings
        if max(len(values[line.path, line.number]) for line in (finding.one, finding.other)) <= MOST_VALUES
    ]
    return kept, len(findings) - len(kept)


def _best(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those of the most alike subjects; disagreements and repetitions apart, so that neither crowds out the other."""
    ranked = sorted(findings, key=lambda finding: -finding.likeness)
    differ = [finding for finding in ranked if finding.kind != "duplicate"][:MOST_FINDINGS]
    return (*differ, *[finding for finding in ranked if finding.kind == "duplicate"][:MOST_FINDINGS])
