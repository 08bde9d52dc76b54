"""Marks: where in a text, as it was written, the words of a query stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import regex

from search.documents.folding import MARKS, SPACELESS
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
        self._alone = frozenset(parts[0] for parts in terms if len(parts) == 1)
        plain = sorted(re.escape(part) for part in self.terms if part.isascii())
        self._plain = re.compile(rf"\b(?:{'|'.join(plain)})") if plain else None
        self._known: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.terms)

    def starts(self, text: str) -> list[tuple[int, str]]:
        """Where a word begins, and which: quick for plain English, for it may be asked of fifty long texts."""
        if text.isascii():
            found = self._plain.finditer(text.lower()) if self._plain else ()
            return [(match.start(), match[0]) for match in found]
        return sorted((start, term) for start, _, term in self.spans(text))

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
