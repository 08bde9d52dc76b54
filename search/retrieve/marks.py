"""Marks: where in a text, as it was written, the words of a query stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

import regex

from search.documents.folding import MARKS, SPACELESS, SPACELESS_MARKS
from search.documents.terms import CJK_RUN, RUN, compounds, fold, stem, tokens, units
from search.retrieve.query import KeywordQuery

_CLUSTERS = regex.compile(r"\X")
_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_JOINTS = "\\-\u2010-\u2013\u2212\u05be'’‘"
_WORD = re.compile(f"[\\w{MARKS}{SPACELESS}{_UNSEEN}{_JOINTS}]+[+#]{{0,2}}")
_PARTS = re.compile(f"[^{_JOINTS}]+")

Found = tuple[int, int, str]
"""Half-open range of characters, and the term that stands there."""


class Marks:
    """Belongs to one query; used for many texts."""

    def __init__(self, query: KeywordQuery) -> None:
        terms = [term.parts for term in (*query.required, *query.terms)]
        self.terms = frozenset(part for parts in terms for part in parts if part)
        # Of a script without spaces two pairs in a row are one find, as the index looks for them.
        self._rows = frozenset(row for parts in terms for row in pairwise(parts))
        in_rows = {part for row in self._rows for part in row}
        self._alone = frozenset(parts[0] for parts in terms if len(parts) == 1) - in_rows
        self._known: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.terms)

    def starts(self, text: str) -> list[tuple[int, str]]:
        """Where a find begins, and which term it is: quick, for it is asked of every line of fifty chunks."""
        if not self.terms:
            return []
        if text.isascii():
            return [(match.start(), match[0]) for match in self._ascii.finditer(text.lower())]
        found: list[tuple[int, str]] = []
        at = 0
        for line in text.split("\n"):
            folded = fold(line)
            if len(folded) == len(line):
                found += (
                    (at + match.start(), self._names.get(match[0], match[0])) for match in self._any.finditer(folded)
                )
            else:
                found += sorted((at + start, term) for start, _, term in self.spans(line))
            at += len(line) + 1
        return found

    @cached_property
    def _ascii(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{_either(term for term in self.terms if term.isascii())})")

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """For folded text that is as long as what it was made from."""
        words = _either(term for term in self.terms if not RUN.match(term))
        runs = _either([*(term for term in self.terms if CJK_RUN.match(term)), *self._names])
        return re.compile(f"(?:{runs})(?![{SPACELESS_MARKS}])|(?<![\\w{MARKS}])(?:{words})")

    @cached_property
    def _names(self) -> dict[str, str]:
        """Letters of a script without spaces as they stand in a text → the term that finds them."""
        spelt = [term for term in self._alone if RUN.match(term) and not CJK_RUN.match(term)]
        rows = [row for row in self._rows if RUN.match(row[0]) and not CJK_RUN.match(row[0])]
        return {**{term: term for term in spelt}, **{a + b[len(units(a)[-1]) :]: a for a, b in rows}}

    def spans(self, text: str) -> Iterator[Found]:
        """All of them in order; those of overlapping pairs overlap."""
        for match in _WORD.finditer(text):
            word = match[0]
            if word.isascii() or RUN.search(word) is None:
                yield from self._in_word(word, match.start())
            else:
                yield from self._in_runs(word, match.start())

    def _in_word(self, word: str, at: int) -> Iterator[Found]:
        whole = self._term_of(word)
        parts = [*_PARTS.finditer(word)]
        found = [(at + part.start(), at + part.end(), term) for part in parts if (term := self._term_of(part[0]))]
        # A compound is marked as a whole where no part of it was looked for.
        yield from found or ([(at, at + len(word), whole)] if whole else [])

    def _term_of(self, word: str) -> str:
        known = self._known.get(word)
        if known is None:
            folded = fold(word)
            terms = (*map(stem, tokens(word)), *compounds(folded))
            known = self._known[word] = next((term for term in terms if term in self.terms), "")
        return known

    def _in_runs(self, word: str, at: int) -> Iterator[Found]:
        """Folding may take a visible character apart, so each of its units remembers the place it came from."""
        placed: list[tuple[str, int, int]] = []
        plain = 0
        for cluster in _CLUSTERS.finditer(word):
            folded = fold(cluster[0])
            if RUN.fullmatch(folded):
                yield from self._plain_between(word, plain, cluster.start(), at)
                placed += ((unit, at + cluster.start(), at + cluster.end()) for unit in units(folded))
                plain = cluster.end()
                continue
            yield from self._in_run(placed)
            placed = []
        yield from self._in_run(placed)
        yield from self._plain_between(word, plain, len(word), at)

    def _plain_between(self, word: str, start: int, end: int, at: int) -> Iterator[Found]:
        if start < end:
            yield from self._in_word(word[start:end], at + start)

    def _in_run(self, placed: list[tuple[str, int, int]]) -> Iterator[Found]:
        pairs = [a[0] + b[0] for a, b in pairwise(placed)]
        for place, (unit, start, end) in enumerate(placed):
            pair = pairs[place] if place < len(pairs) else ""
            after = pairs[place + 1] if place + 1 < len(pairs) else ""
            if (pair, after) in self._rows:
                yield start, placed[place + 2][2], pair
            elif pair in self._alone or (pair in self.terms and CJK_RUN.match(pair)):
                yield start, placed[place + 1][2], pair
            elif unit in self.terms:
                yield start, end, unit


def _either(terms: Iterable[str]) -> str:
    """The longest first; what never occurs when there are none."""
    return "|".join(map(re.escape, sorted(terms, key=len, reverse=True))) or r"(?!)"
