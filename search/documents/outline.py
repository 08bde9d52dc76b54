"""The headings of a Markdown file: which lines they stand on, and which section path is in effect where."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAX_HEADING_CHARS = 120
PATH_SEPARATOR = " > "

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?", re.DOTALL)
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+[ \t]*\Z")
_FENCE = re.compile(r"((?: {0,3}+(?:[-*+]|[0-9]{1,9}+[.)])[ \t]{1,4}+){0,9}+)( {0,3}+(?:`{3,}+(?=[^`]*\Z)|~{3,}))")
"""Also the first line of a list's item, whose marks come before it."""
_HTML = re.compile(r" {0,3}<(?:(pre|script|style|textarea)(?=[\s>]|\Z)|(!--)|(\?)|(!\[CDATA\[)|![a-z])", re.IGNORECASE)
_HTML_ENDS = ("-->", "?>", "]]>")
_FIRST_CHARS = (" ", "#")
_MAY_OPEN = re.compile("```|~~~|<").search


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
    block: _Open | None = None
    for number, line in enumerate(lines, start=first_line):
        if block is not None or _MAY_OPEN(line):
            was, block = block, _after(block, line)
            if (block is not None and not block.html) or (was is not None and not was.html and was.closed_by(line)):
                continue
        if not line.startswith(_FIRST_CHARS):
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


def still_open(lines: Sequence[str]) -> str:
    """The line that closes the fenced code, comment or other HTML in which `lines` end; "" when they end in none."""
    block: _Open | None = None
    for line in lines:
        if block is not None or _MAY_OPEN(line):
            block = _after(block, line)
    return "" if block is None else block.closing


def heading_of(line: str) -> tuple[int, str] | None:
    """Level and text of an ATX heading line, its marks removed and its text cut at 120 characters."""
    match = _HEADING.fullmatch(line)
    if match is None:
        return None
    text = (match[2] or "")[: MAX_HEADING_CHARS * 4]
    return len(match[1]), " ".join(_CLOSING_MARKS.sub("", text).split())[:MAX_HEADING_CHARS]


class _Open(NamedTuple):
    """Fenced code or HTML that only its own end closes. `item`: blanks before every line of the list item around it."""

    closing: str
    item: int = 0
    html: bool = False

    def closed_by(self, line: str) -> bool:
        if self.html:
            return self.closing in line.lower()
        marks, own = line.strip(), self.closing.strip()
        fits = self.item <= _indent(line) < self.item + 4
        return fits and len(marks) >= len(own) and marks == own[0] * len(marks)


def _after(block: _Open | None, line: str) -> _Open | None:
    """What is open after `line`, of what was before it."""
    if block is not None:
        if block.closed_by(line):
            return None
        if not block.item or _indent(line) >= block.item or not line.strip():
            return block
        # The list item has ended, and its code with it.
    if opener := _FENCE.match(line):
        return _Open(" " * len(opener[1]) + opener[2], len(opener[1]))
    if opener := _HTML.match(line):
        tag, *marks = opener.groups()
        ends = (end for mark, end in zip(marks, _HTML_ENDS, strict=True) if mark)
        html = _Open(f"</{tag.lower()}>" if tag else next(ends, ">"), html=True)
        return None if html.closing in line[opener.end() :].lower() else html
    return None


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())
