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
        if fence:
            fence = "" if _closes(fence, line) else fence
        elif opener := _FENCE.match(line):
            fence = opener[1]
        elif heading := heading_of(line):
            level, title = heading
            while open_sections and open_sections[-1][0] >= level:
                open_sections.pop()
            open_sections.append((level, title))
            numbers.append(number)
            titles.append(title)
            paths.append(PATH_SEPARATOR.join(title for _, title in open_sections if title))
    return Outline(tuple(numbers), tuple(paths), next(filter(None, titles), ""))


def heading_of(line: str) -> tuple[int, str] | None:
    """Level and text of an ATX heading line, its marks removed and its text cut at 120 characters."""
    match = _HEADING.fullmatch(line)
    if match is None:
        return None
    text = (match[2] or "")[: MAX_HEADING_CHARS * 4]
    return len(match[1]), " ".join(_CLOSING_MARKS.sub("", text).split())[:MAX_HEADING_CHARS]


def _closes(fence: str, line: str) -> bool:
    marks = line.strip()
    return len(marks) >= len(fence) and marks == fence[0] * len(marks)
