"""passage(): the part of a chunk that answers the query, with its exact lines."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from search.documents.passages import split_passages
from search.documents.terms import CJK_RUN
from search.documents.text import safe_cut
from search.retrieve.query import KeywordQuery


@dataclass(frozen=True, slots=True)
class Passage:
    """Text and its 1-based inclusive lines in the file."""

    text: str
    start_line: int
    end_line: int


def highlighter(query: KeywordQuery) -> re.Pattern[str] | None:
    """A pattern for the query's words as they may stand in a text: stems at the start of words, character pairs."""
    parts = {part for term in (*query.required, *query.terms) for part in term.parts if part}
    if not parts:
        return None
    choices = (re.escape(part) if CJK_RUN.match(part) else rf"\b{re.escape(part)}" for part in sorted(parts))
    return re.compile("|".join(choices))


def passage(
    text: str, start_line: int, pattern: re.Pattern[str] | None, limit: int, *, nearest: int | None = None
) -> Passage:
    """At most `limit` characters of `text`: the window with the most different query words, from the start of a line
    where that fits. Without a match it begins with the `nearest` of the chunk's passages, or at the beginning."""
    if len(text) <= limit:
        return Passage(text, start_line, start_line + text.count("\n"))
    begin = _window_start(text, pattern, limit)
    if begin is None:
        begin = _passage_start(text, nearest, limit)
    end = min(len(text), begin + limit)
    if end < len(text):
        end = _last_break(text, begin, end)
    line = start_line + text.count("\n", 0, begin)
    shown = text[begin:end].rstrip("\n")
    return Passage(shown, line, line + shown.count("\n"))


def _window_start(text: str, pattern: re.Pattern[str] | None, limit: int) -> int | None:
    lowered = text.lower()
    if pattern is None or len(lowered) != len(text):
        return None
    found = [(match.start(), match[0]) for match in pattern.finditer(lowered)]
    if not found:
        return None
    best_start, best_count = 0, 0
    inside: Counter[str] = Counter()
    begin = 0
    for start, word in found:
        inside[word] += 1
        while found[begin][0] + limit <= start:
            left = found[begin][1]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            begin += 1
        if len(inside) > best_count:
            best_start, best_count = found[begin][0], len(inside)
    # Begin with the line of the first match, or shortly before it in a long line.
    line_start = text.rfind("\n", 0, best_start) + 1
    return line_start if best_start - line_start <= limit // 3 else safe_cut(text, best_start - limit // 6)


def _passage_start(text: str, nearest: int | None, limit: int) -> int:
    """Where the nearest passage begins, but early enough that the window is full."""
    if nearest is None:
        return 0
    first_line = split_passages(text)[nearest].split("\n", 1)[0]
    start = max(0, text.find(first_line))
    return text.rfind("\n", 0, min(start, max(0, len(text) - limit)) + 1) + 1


def _last_break(text: str, begin: int, end: int) -> int:
    """Where to stop before `end`: after a line, a sentence or a word, if one ends in the last quarter."""
    earliest = begin + (end - begin) * 3 // 4
    for mark in ("\n", "。", ". ", " "):
        at = text.rfind(mark, earliest, end)
        if at > 0:
            return at + len(mark)
    return safe_cut(text, end)
