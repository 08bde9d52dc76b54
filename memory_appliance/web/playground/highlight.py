"""marked_lines(): a passage's lines in pieces, those that the query's words found apart from the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from memory_appliance.web.diff import visible
from search.documents.lines import split_lines
from search.retrieve.marks import Marks
from search.retrieve.query import parse_query


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    found: bool


def query_marks(query: str) -> Marks:
    """Finds what the keyword leg looks for."""
    return Marks(parse_query(query))


def marked_lines(text: str, marks: Marks) -> list[list[Piece]]:
    """Signs without a shape are written out, so that the text cannot hide or turn anything."""
    return [[*_pieces(line.rstrip("\r\n"), marks)] for line in split_lines(text)]


def _pieces(line: str, marks: Marks) -> Iterator[Piece]:
    found = bytearray(len(line))
    for start, end, _ in marks.spans(line):
        found[start:end] = b"\1" * (end - start)
    place = 0
    for flag, run in groupby(found):
        length = len(list(run))
        yield Piece(visible(line[place : place + length]), bool(flag))
        place += length
