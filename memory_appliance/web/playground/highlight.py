"""marked_lines(): a passage's lines in pieces, those that the query's words found apart from the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from memory_appliance.web.diff import visible
from search.documents.lines import split_lines
from search.documents.terms import CJK_RUN, fold, stem, tokens
from search.retrieve.query import parse_query

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    found: bool


def query_terms(query: str) -> frozenset[str]:
    """Stems and character pairs that the keyword leg looks for."""
    parsed = parse_query(query)
    return frozenset(part for term in (*parsed.required, *parsed.terms) for part in term.parts)


def marked_lines(text: str, terms: frozenset[str]) -> list[list[Piece]]:
    """Signs without a shape are written out, so that the text cannot hide or turn anything."""
    return [[*_pieces(line.rstrip("\r\n"), terms)] for line in split_lines(text)]


def _pieces(line: str, terms: frozenset[str]) -> Iterator[Piece]:
    found = bytearray(len(line))
    for word in _WORD.finditer(line):
        for start, end in _found_in(word[0], terms):
            found[word.start() + start : word.start() + end] = b"\1" * (end - start)
    place = 0
    for flag, run in groupby(found):
        length = len(list(run))
        yield Piece(visible(line[place : place + length]), bool(flag))
        place += length


def _found_in(word: str, terms: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Spans of one run of letters, as index and query fold and cut it."""
    place = 0
    for run in CJK_RUN.finditer(word):
        yield from _plain(word[place : run.start()], place, terms)
        for at in range(run.start(), run.end()):
            if fold(word[at : at + 2]) in terms and at + 1 < run.end():
                yield at, at + 2
            elif fold(word[at]) in terms:
                yield at, at + 1
        place = run.end()
    yield from _plain(word[place:], place, terms)


def _plain(word: str, place: int, terms: frozenset[str]) -> Iterator[tuple[int, int]]:
    if word and any(stem(token) in terms for token in tokens(word)):
        yield place, place + len(word)
