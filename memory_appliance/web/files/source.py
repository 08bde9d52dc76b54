"""source_page(): a file's lines with their numbers, as many as a page can carry, each cut where it is too long."""

from __future__ import annotations

from dataclasses import dataclass

from memory_appliance.web.diff import visible
from memory_appliance.web.files.places import Lines
from search.documents.lines import count_lines, split_lines
from search.documents.text import safe_cut

MOST_LINES = 500
MOST_CHARS = 200_000
LONGEST_LINE = 4_000


@dataclass(frozen=True, slots=True)
class SourceLine:
    """`left`: characters of the line that are not shown."""

    number: int
    text: str
    left: int
    marked: bool


@dataclass(frozen=True, slots=True)
class SourcePage:
    """`before` and `after` are the first lines of the neighbouring pages; None where there is none."""

    lines: tuple[SourceLine, ...]
    total: int
    before: int | None = None
    after: int | None = None

    @property
    def first(self) -> int:
        return self.lines[0].number if self.lines else 0

    @property
    def last(self) -> int:
        return self.lines[-1].number if self.lines else 0


def source_page(text: str, *, start: int, marked: Lines | None) -> SourcePage:
    """From line `start`; in a long file with marked lines, from somewhat before them."""
    total = count_lines(text)
    every = split_lines(text)[:total]
    if marked is not None and not start and total > MOST_LINES:
        start = min(marked.first, total) - MOST_LINES // 4
    start = min(max(start, 1), max(total, 1))
    shown: list[SourceLine] = []
    chars = 0
    for number, line in enumerate(every[start - 1 : start - 1 + MOST_LINES], start=start):
        end = safe_cut(line, LONGEST_LINE) if len(line) > LONGEST_LINE else len(line)
        chars += end
        if shown and chars > MOST_CHARS:
            break
        hit = marked is not None and marked.first <= number <= marked.last
        shown.append(SourceLine(number, visible(line[:end]), len(line) - end, hit))
    following = start + len(shown)
    before = max(1, start - MOST_LINES) if start > 1 else None
    return SourcePage(tuple(shown), total, before, following if following <= total else None)
