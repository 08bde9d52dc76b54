"""cut_window(): the part of a file that one get answers, and where the next one continues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from search.documents.text import safe_cut


@dataclass(frozen=True, slots=True)
class Window:
    """`lines` counts the lines that `text` touches. `next_from` is None at the end of the file; `next_offset` is a
    character offset into line `next_from`, None when the next part starts with a whole line."""

    text: str
    lines: int
    next_from: int | None = None
    next_offset: int | None = None


def cut_window(lines: Sequence[str], *, from_line: int, count: int, offset: int, max_chars: int) -> Window:
    """At most `count` lines and `max_chars` characters from character `offset` of 1-based line `from_line`.

    Whole lines only, except that a first line longer than `max_chars` is cut at a character boundary.
    """
    wanted = list(lines[from_line - 1 : from_line - 1 + count])
    if not wanted:
        return Window("", 0)
    wanted[0] = wanted[0][offset:]
    if len(wanted[0]) > max_chars:
        cut = safe_cut(wanted[0], max_chars)
        return Window(wanted[0][:cut], 1, from_line, offset + cut)
    taken, length = 0, -1
    for line in wanted:
        length += len(line) + 1
        if length > max_chars:
            break
        taken += 1
    following = from_line + taken
    return Window("\n".join(wanted[:taken]), taken, following if following <= len(lines) else None)
