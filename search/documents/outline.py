"""The headings of a Markdown file: which lines they stand on, and which section path is in effect where."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

MAX_HEADING_CHARS = 120
PATH_SEPARATOR = " > "

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?", re.DOTALL)
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_FIRST_CHARS = (" ", "#", "`", "~")
_FENCE_CHARS = (" ", "`", "~")
_CODE = (" " * 4, "\t")


@dataclass(frozen=True, slots=True)
class Outline:
    """ATX headings outside of fenced code. Lines are 1-based; `paths[i]` is in effect from `lines[i]` on."""

    lines: tuple[int, ...]
    paths: tuple[str, ...]
    first_heading: str

    def path_at(self, line: int) -> str:
        """Section path at a line, such as `Trip > Hotels`; empty before the first heading."""
        place = bisect_right(self.lines, line)
        return self.paths[place - 1] if place else ""


def read_outline(lines: Sequence[str], *, first_line: int = 1) -> Outline:
    """The outline of `lines`, the first of which has the number `first_line`."""
    numbers: list[int] = []
    paths: list[str] = []
    titles: list[str] = []
    open_sections: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(lines, start=first_line):
        if not line.startswith(_FIRST_CHARS):
            continue
        was, fence = fence, _fence_after(fence, line)
        if was or fence:
            continue
        if heading := heading_of(line):
            level, title = heading
            while open_sections and open_sections[-1][0] >= level:
                open_sections.pop()
            open_sections.append((level, title))
            numbers.append(number)
            titles.append(title)
            paths.append(PATH_SEPARATOR.join(title for _, title in open_sections if title))
    return Outline(tuple(numbers), tuple(paths), next(filter(None, titles), ""))


def open_fence(lines: Sequence[str]) -> str:
    """The line that closes the fenced code in which `lines` end; "" when they end outside of any."""
    fence = ""
    for line in lines:
        if line.startswith(_FENCE_CHARS):
            fence = _fence_after(fence, line)
    return fence


def heading_of(line: str) -> tuple[int, str] | None:
    """Level and text of an ATX heading line, its marks removed and its text cut at 120 characters."""
    match = _HEADING.fullmatch(line)
    if match is None:
        return None
    text = (match[2] or "")[: MAX_HEADING_CHARS * 4]
    return len(match[1]), " ".join(_CLOSING_MARKS.sub("", text).split())[:MAX_HEADING_CHARS]


def _fence_after(fence: str, line: str) -> str:
    """`fence` is how the open code began, with its indentation, "" outside of code; the answer is that after `line`."""
    if not fence:
        opener = _FENCE.match(line)
        return opener[0] if opener else ""
    marks, own = line.strip(), fence.strip()
    closes = len(marks) >= len(own) and marks == own[0] * len(marks) and not line.startswith(_CODE)
    return "" if closes else fence
