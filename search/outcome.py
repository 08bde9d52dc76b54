"""What a search answers: hits, the explanation of each, and everything that was degraded on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from search.citations import Pages
from search.degradations import DegradationCode
from search.spec import Mode, Origin, Source


@dataclass(frozen=True, slots=True)
class Degradation:
    """One part that did not work as configured, and why, in words for the owner."""

    code: DegradationCode
    detail: str


@dataclass(frozen=True, slots=True)
class FoundBy:
    """A variant of the query that found the chunk, and at which rank from 1."""

    kind: str
    text: str
    rank: int


@dataclass(frozen=True, slots=True)
class Explain:
    """Every contribution to one hit's score: enough to recompute it by hand."""

    keyword_rank: int | None
    keyword_raw: float | None
    keyword_score: float
    vector_rank: int | None
    vector_raw: float | None
    vector_score: float
    keyword_weight: float
    vector_weight: float
    variants: tuple[FoundBy, ...]
    """Variants of the query that found it (mode `query`)."""
    rrf: float | None
    fused: float
    """keyword weight · keyword score + vector weight · vector score; with variants the mean of that and `rrf`."""
    late: float | None
    """Late interaction's score, a little above 1 at most; None where the chunk was not judged."""
    late_weight: float
    relevance: float
    """(1 - late weight) · fused + late weight · late."""
    age_days: float | None
    decay: float
    importance: float
    project: float
    date: float
    weighed: float
    """relevance · decay · importance · project · date."""
    rerank: float | None
    rerank_weight: float
    score: float
    """(1 - rerank weight) · weighed + rerank weight · rerank, shown as 1 at most; a named file scores its project."""
    mmr_penalty: float
    selected_by: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage. Lines are 1-based and inclusive; scores are on the calibrated 0..1 scale."""

    path: str
    start_line: int
    end_line: int
    score: float
    vector_score: float
    keyword_score: float
    snippet: str
    snippet_lines: tuple[tuple[int, int], ...]
    """The lines of each part of the snippet, first and last; a line `…` stands between two parts."""
    collection: str
    source: Source
    docid: str
    origin: Origin = "owner"
    rerank_score: float | None = None
    late_score: float | None = None
    """Of late interaction (rank/late.py); None where the chunk was not judged by it."""
    citation: str | None = None
    pages: Pages | None = None
    """First and last page of a document's passage, where it has pages."""
    importance: int | None = None
    date: str | None = None
    explain: Explain | None = None

    @property
    def snippet_start_line(self) -> int:
        return self.snippet_lines[0][0]

    @property
    def snippet_end_line(self) -> int:
        return self.snippet_lines[-1][1]

    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """The lines shown, each with its number in the file, without the marks of the gaps and the source line."""
        lines = iter(self.snippet.split("\n"))
        for start, end in self.snippet_lines:
            yield from zip(range(start, end + 1), lines, strict=False)
            next(lines, None)


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """`ok` has hits; `empty` and `abstained` have none and say why; `unavailable` could not search at all."""

    outcome: Literal["ok", "empty", "abstained", "unavailable"]
    results: tuple[Hit, ...]
    mode: Mode
    requested_mode: Mode
    provider: str
    model: str
    degraded: tuple[Degradation, ...] = ()
    partial: bool = False
    reason: str = ""
    timings_ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that was skipped, and why, in words for the owner."""

    path: str
    problem: str
