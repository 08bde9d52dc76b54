"""Cuts the lines of a file into chunks of about 400 tokens with 80 tokens of overlap and exact line ranges."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from search.documents.outline import heading_of
from search.documents.text import CHARS_PER_TOKEN, cut_line, line_costs, tail_within
from search.spec import ChunkingSpec

CHUNKER_VERSION = 1
"""Raised whenever the same file would be cut into other chunks; an index of another version is rebuilt."""

SMALLEST_CHUNK = 32
_HEADINGS_SHARE = 4
"""Headings that weigh more than this part of a chunk are a list of their own and are not moved to a body."""


class Cut(NamedTuple):
    """One chunk's text. Lines are 1-based and inclusive; `body_line` is the first line that is new (no overlap) and
    neither blank nor a heading, or the last heading when there is no such line."""

    text: str
    start_line: int
    end_line: int
    body_line: int


def cut_lines(
    lines: Sequence[str], chunking: ChunkingSpec, *, headings: Collection[int] = (), first_line: int = 1
) -> list[Cut]:
    """Chunks of running text. `first_line` is the number of lines[0], `headings` the numbers of heading lines.

    A chunk weighs at most `tokens` · 4. The one exception: headings stay with the text they head, also when that
    text alone fills a chunk; the chunk is then heavier by at most a quarter. Chunks of blank lines are dropped.
    """
    return _Cutter(_segments(lines, first_line, _limit(chunking)), chunking, frozenset(headings)).cuts()


def cut_entries(
    lines: Sequence[str], chunking: ChunkingSpec, *, headings: Collection[int] = (), first_line: int = 1
) -> list[Cut]:
    """Chunks of a curated file: one per entry, headings with their first entry, no overlap between entries."""
    starts = [index for index, _ in attach_headings(lines, entry_ranges(lines))]
    cuts: list[Cut] = []
    for start, end in pairwise([*starts, len(lines)]):
        cuts += cut_lines(lines[start:end], chunking, headings=headings, first_line=first_line + start)
    return cuts


def entry_ranges(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Entries and sections of a curated file as half-open ranges of line indexes: each starts at a line that begins
    with `- ` or is a heading; lines before the first such line are a range of their own."""
    starts = [index for index, line in enumerate(lines) if line.startswith("- ") or _starts_section(line)]
    if lines and (not starts or starts[0] != 0):
        starts.insert(0, 0)
    return list(pairwise([*starts, len(lines)]))


def attach_headings(lines: Sequence[str], ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges with every heading that has no text of its own joined to the range after it."""
    joined: list[tuple[int, int]] = []
    carried: int | None = None
    for start, end in ranges:
        bare = _starts_section(lines[start]) and not any(line.strip() for line in lines[start + 1 : end])
        first = start if carried is None else carried
        if bare:
            carried = first
        else:
            joined.append((first, end))
            carried = None
    if carried is not None:
        joined.append((carried, ranges[-1][1]))
    return joined


def _starts_section(line: str) -> bool:
    return line.startswith("#") and heading_of(line) is not None


def _limit(chunking: ChunkingSpec) -> int:
    return max(SMALLEST_CHUNK, chunking.tokens * CHARS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class _Segments:
    """Lines, over-long ones in pieces. Segment i costs total[i + 1] - total[i]: its weight and 1 for the newline."""

    texts: Sequence[str]
    numbers: Sequence[int]
    total: Sequence[int]


def _segments(lines: Sequence[str], first_line: int, limit: int) -> _Segments:
    costs = line_costs(lines)
    numbers: Sequence[int] = range(first_line, first_line + len(lines))
    if max(costs, default=0) > limit + 1:
        pieces = [
            (piece, number)
            for line, number, cost in zip(lines, numbers, costs, strict=True)
            for piece in (cut_line(line, limit) if cost > limit + 1 else (line,))
        ]
        lines, numbers = [piece for piece, _ in pieces], [number for _, number in pieces]
        costs = line_costs(lines)
    return _Segments(lines, numbers, list(accumulate(costs, initial=0)))


class _Cutter:
    """Walks over the segments once; every position is found by bisection in the running total of costs."""

    def __init__(self, segments: _Segments, chunking: ChunkingSpec, headings: frozenset[int]) -> None:
        self._texts, self._numbers, self._total = segments.texts, segments.numbers, segments.total
        self._headings = headings
        self._limit = _limit(chunking)
        self._overlap = max(0, min(chunking.overlap, chunking.tokens - 1)) * CHARS_PER_TOKEN
        self._heavy_headings = self._limit // _HEADINGS_SHARE

    def cuts(self) -> list[Cut]:
        cuts: list[Cut] = []
        count, total = len(self._texts), self._total
        start = new = 0  # the chunk is [start, end), of which [start, new) is overlap
        tail = ""  # or a piece of the last segment, when that is too heavy to overlap as a whole
        while new < count:
            body = self._after_headings(new)
            room = self._limit - (len(tail) and line_costs([tail])[0])
            end = max(bisect_right(total, total[start] + room) - 1, body + 1)
            if end < count:
                end = self._before_headings(body + 1, end)
            cut = self._cut(tail, start, new, end)
            if cut is not None:
                cuts.append(cut)
            if end < count:
                start, tail = self._overlap_before(end, start)
            new = end
        return cuts

    def _cut(self, tail: str, start: int, new: int, end: int) -> Cut | None:
        """The chunk; None when nothing in it is new but blank lines."""
        texts = self._texts[start:end]
        body = next((index for index in range(new, end) if self._is_body(index)), None)
        if body is None:
            headings = [index for index in range(new, end) if self._numbers[index] in self._headings]
            if not headings:
                return None
            body = headings[-1]
        return Cut(
            text="\n".join([tail, *texts] if tail else texts),
            start_line=self._numbers[start - 1 if tail else start],
            end_line=self._numbers[end - 1],
            body_line=self._numbers[body],
        )

    def _overlap_before(self, new: int, start: int) -> tuple[int, str]:
        """Where the overlap of the chunk that begins with `new` starts, and the piece of a segment before that."""
        incoming = self._total[self._after_headings(new) + 1] - self._total[new]
        window = min(self._overlap, max(0, self._limit - incoming))
        first = bisect_left(self._total, self._total[new] - window, start, new)
        if first < new:
            return first, ""
        return new, tail_within(self._texts[new - 1], window - 1)

    def _after_headings(self, new: int) -> int:
        """The first body segment after the headings at `new`; `new` itself when there are none, or too many."""
        index = new
        while self._headings and index < len(self._texts) and not self._is_body(index):
            index += 1
            if self._total[index] - self._total[new] > self._heavy_headings:
                return new
        has_heading = any(self._numbers[passed] in self._headings for passed in range(new, index))
        return index if has_heading and index < len(self._texts) else new

    def _before_headings(self, least: int, end: int) -> int:
        """`end`, or the first of the headings right before it, so that they go with the text after them."""
        first = index = end
        while self._headings and index > least and not self._is_body(index - 1):
            index -= 1
            if self._total[end] - self._total[index] > self._heavy_headings:
                return end
            if self._numbers[index] in self._headings:
                first = index
        return first

    def _is_body(self, index: int) -> bool:
        return (
            self._numbers[index] not in self._headings and not self._texts[index].isspace() and self._texts[index] != ""
        )
