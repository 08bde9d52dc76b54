"""The part of a chunk that answers the query: best_lines() for the answer, window() for comparing chunks."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from search.documents.passages import HEADING, split_passages
from search.documents.text import safe_cut
from search.retrieve.marks import Marks
from search.retrieve.query import KeywordQuery

MEANING = 0.7
"""Weight of a line's meaning against its query words. LoCoMo dev, 700 characters, share of gold lines shown in the
first five: .772 with 0.7, .767 with 0.5, .760 with 0.3, .747 with words alone (docs/ranking.md)."""
WHOLE_LINE = 400
"""Characters: a line up to this length is shown whole or not at all, a longer one by its sentences."""
GAP = "…"
_MARK = len(f"\n{GAP}\n")


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive text and its 1-based inclusive lines in the file."""

    text: str
    start_line: int
    end_line: int


@dataclass(frozen=True)
class Snippet:
    """Parts of one chunk in their order; a line `…` stands between two of them."""

    parts: tuple[Part, ...]

    @cached_property
    def text(self) -> str:
        return f"\n{GAP}\n".join(part.text for part in self.parts)

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        return tuple((part.start_line, part.end_line) for part in self.parts)


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The query's words as they may occur in a text, and how much each of them tells (inverse document frequency)."""

    marks: Marks
    weights: Mapping[str, float]

    def coverage(self, text: str, pieces: Sequence[_Piece]) -> list[float]:
        """Of each of the pieces, which come in order: the share of the query's weight that occurs in it, 0 to 1."""
        total = sum(self.weights.values())
        if not total:
            return [0.0] * len(pieces)
        inside: list[set[str]] = [set() for _ in pieces]
        starts = [piece.start for piece in pieces]
        for start, word in self.marks.starts(text):
            place = bisect_right(starts, start) - 1
            if place >= 0 and start < pieces[place].end:
                inside[place].add(word)
        return [sum(self.weights.get(word, 0.0) for word in words) / total for words in inside]


def query_words(query: KeywordQuery, weights: Mapping[str, float]) -> QueryWords:
    """Without `weights` all words count the same."""
    marks = Marks(query)
    return QueryWords(marks, (weights or dict.fromkeys(marks.terms, 1.0)) if marks else {})


def best_lines(
    text: str,
    start_line: int,
    words: QueryWords,
    near: Sequence[float],
    limit: int,
    *,
    seen: Callable[[Part], bool] | None = None,
) -> Snippet | None:
    """The lines of `text` that answer best, in their order, at most `limit` characters with the marks of the gaps.

    `near` is how near each passage of the chunk (`split_passages`) comes to the query, 0 to 1, or empty without
    vectors. The heading above the best line is kept where it takes no more than a quarter of the room. A line is cut
    only when it is longer than `limit`. Without a query word and without vectors the chunk's beginning is shown.
    Lines that were `seen` in another snippet are left out; None when nothing worth showing is left.
    """
    if len(text) <= limit and seen is None:
        return Snippet((Part(text, start_line, start_line + text.count("\n")),))
    pieces = _pieces(text, near)
    if seen is not None:
        pieces = [piece for piece in pieces if not seen(_part(text, start_line, piece.start, piece.end))]
        if not pieces:
            return None
    if not pieces:
        return Snippet((_part(text, start_line, 0, safe_cut(text, limit)),))
    covered = words.coverage(text, pieces)
    scores = [MEANING * piece.near + (1 - MEANING) * share for piece, share in zip(pieces, covered, strict=True)]
    first = max(range(len(pieces)), key=lambda i: (scores[i], -i))
    if seen is not None and scores[first] <= 0:
        return None
    # Of equally good lines those beside the best one: they explain it.
    order = sorted(range(len(pieces)), key=lambda i: (i != first, -scores[i], abs(i - first)))
    best = pieces[first]
    if best.end - best.start > limit:
        return Snippet((_part(text, start_line, best.start, safe_cut(text, best.start + limit)),))
    heading = _heading_above(text, pieces, first)
    if heading is not None and pieces[heading].end - pieces[heading].start <= limit // 4:
        order.insert(1, heading)
    taken: list[int] = []
    room = limit + _MARK
    for index in dict.fromkeys(order):
        size = pieces[index].end - pieces[index].start + _MARK
        if size <= room:
            taken.append(index)
            room -= size
    runs = list(_runs(text, pieces, sorted(taken)))
    while sum(end - begin + _MARK for begin, end in runs) - _MARK > limit:
        # Blank lines between two pieces took more than the mark of a gap.
        runs = list(_runs(text, pieces, sorted(taken := taken[:-1])))
    return Snippet(tuple(_part(text, start_line, begin, end) for begin, end in runs))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line, or a sentence of a long one: a slice of the chunk and how near its passage comes."""

    start: int
    end: int
    near: float


def _pieces(text: str, near: Sequence[float]) -> list[_Piece]:
    found: list[_Piece] = []
    at = 0
    for number, passage in enumerate(split_passages(text)):
        value = near[number] if number < len(near) else 0.0
        for part in passage.split("\n"):
            start = text.find(part, at) if part.strip() else -1
            if start < 0:
                continue
            at = start + len(part)
            before = found[-1] if found else None
            if before and at - before.start <= WHOLE_LINE and "\n" not in text[before.start : start]:
                found[-1] = _Piece(before.start, at, max(before.near, value))
            else:
                found.append(_Piece(start, at, value))
    return found


def _heading_above(text: str, pieces: Sequence[_Piece], index: int) -> int | None:
    headings = (i for i in range(index, -1, -1) if HEADING.match(text, pieces[i].start))
    return next(headings, None)


def _runs(text: str, pieces: Sequence[_Piece], taken: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Slices of `text`: pieces with nothing but blanks between them, or on one line, go together."""
    begin = end = -1
    for piece in (pieces[i] for i in taken):
        between = text[end : piece.start]
        if end >= 0 and not between.strip():
            end = piece.end
            continue
        if end >= 0:
            yield begin, end
        begin, end = piece.start, piece.end
    if end >= 0:
        yield begin, end


def _part(text: str, start_line: int, begin: int, end: int) -> Part:
    shown = text[begin:end].rstrip("\n")
    first = start_line + text.count("\n", 0, begin)
    return Part(shown, first, first + shown.count("\n"))


def window(text: str, marks: Marks, limit: int, *, nearest: int | None = None) -> str:
    """At most `limit` characters of `text` in one piece, for comparing chunks: where the most different query words
    are, from the start of a line where that fits. Without a match it begins with the `nearest` of the chunk's
    passages, or at the beginning."""
    if len(text) <= limit:
        return text
    begin = _window_start(text, marks, limit)
    if begin is None:
        begin = _passage_start(text, nearest, limit)
    end = min(len(text), begin + limit)
    if end < len(text):
        end = _last_break(text, begin, end)
    return text[begin:end].rstrip("\n")


def _window_start(text: str, marks: Marks, limit: int) -> int | None:
    found = marks.starts(text) if marks else []
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
