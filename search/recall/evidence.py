"""weigh_evidence(): how relevant found passages really are to the turn, and which of their lines say it.

A search always has a best hit; recall must know when the best is not good enough. Relevance is the calibrated nearness
of the nearest passage plus the share of the query's weight (rare words weigh more) that the chunk has. The bars were
set on household questions asked of the right and of the wrong memory; docs/recall.md has the figures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from search.citations import Pages
from search.documents.passages import split_passages
from search.documents.secrets import MASK
from search.documents.terms import fold, index_text
from search.index.driver import Connection
from search.index.facts import IndexFacts
from search.index.vectors import passage_cosines
from search.outcome import Hit
from search.profiles import resolve
from search.recall.outcome import Source
from search.recall.wrapped import goes_on, rest_of_sentence
from search.retrieve.query import KeywordQuery
from search.runtime.centres import centre_query
from search.runtime.protocols import Vectors
from search.spec import RankingSpec

BAR = 0.63
"""Least relevance of a passage that is worth a place in the prompt."""
BAR_NEARNESS_ALONE = 0.65
"""The same where it has none of the query's words: nearness across languages is the less sure."""
BAR_WORDS_ONLY = 0.30
"""The same where no vectors could be compared and relevance is the words' share alone."""
LEAST_SCORE = 0.40
"""Least score of a hit that late interaction has judged: it knows better than nearness and words what answers."""
OUT_OF_REACH = 3.0
NAMED_DAY = 0.45
"""What it adds that the note is of the very day the message names."""
SHORT_PART = 3
"""Figures and parts of identifiers with fewer characters are short."""

LEAST_SAID, CLOSE_SAID = 0.25, 0.8
"""A line of a conversation has so much of the query's weight itself, or is so near to it."""
_SPEAKER = re.compile(r"^(?:User|Assistant):\s*")
_NO_ANSWER = re.compile(r"[?？]\s*\Z|" + re.escape(MASK))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a passage, or a part of a long one, and the file's line it stands on."""

    text: str
    number: int
    coverage: float
    """Share of the query's weight that it has."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A few lines or a sentence of a hit, as they are embedded; `score` compares passages of one turn."""

    path: str
    lines: tuple[Line, ...]
    score: float
    pages: Pages | None = None
    """Of the whole hit, where it is of a document with pages."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One hit, weighed. `passages` come best first; a hit below the bar has none."""

    hit: Hit
    relevance: float
    bar: float
    passages: tuple[Passage, ...]

    @property
    def relevant(self) -> bool:
        return self.relevance >= self.bar

    @property
    def source(self) -> Source:
        return Source(self.hit.path, self.hit.start_line, self.hit.end_line, self.hit.pages)


class Scale:
    """What the query's words weigh in this index.

    Short figures weigh only in company, since any table has some: those of an identifier where all of it is found
    (10.77.30.0 is not any text with a 10 and a 30), others where another word of the query stands as well.
    """

    def __init__(self, connection: Connection, facts: IndexFacts, query: KeywordQuery) -> None:
        self._weights: dict[tuple[str, ...], float] = {}
        for term in (*query.required, *query.terms):
            counts = (
                connection.execute("SELECT doc FROM chunks_terms WHERE term = ?", (part,)).get or 0
                for part in term.parts
            )
            # A pair of characters or a prefix that never occurs weighs the most: it is what the memory cannot know.
            rarest = min(counts, default=0) if facts.words else 0
            self._weights[term.parts] = math.log(1 + (facts.chunks + 1) / (rarest + 1))
        self._total = sum(self._weights.values())
        identifiers = [parts for parts in self._weights if len(parts) > 1 and any(map(str.isdigit, "".join(parts)))]
        whole: dict[tuple[str, ...], frozenset[tuple[str, ...]]] = {
            parts: frozenset(one for one in identifiers if parts[0] in one)
            for parts in self._weights
            if len(parts) == 1 and (parts[0].isdigit() or len(parts[0]) < SHORT_PART)
        }
        words = frozenset(
            parts for parts in self._weights if not (len(parts) == 1 and parts[0].isdigit()) and not whole.get(parts)
        )
        self._company = {
            parts: holders or words - {parts}
            for parts, holders in whole.items()
            if holders or (words and parts[0].isdigit() and len(parts[0]) < SHORT_PART)
        }
        """Terms that weigh only beside one of these."""
        self._figures = {
            parts: re.compile(r"(?<!\d)" + r"[^\w\s|]{1,2}".join(parts) + r"(?!\d)")
            for parts in identifiers
            if "".join(parts).isdecimal()
        }
        """Identifiers of figures alone stand only where marks join them: 4.2.1 is no table's row 4, 2, 1."""

    def coverage(self, text: str) -> float:
        """0..1: how much of the query's weight stands in `text`."""
        if not self._total:
            return 0.0
        indexed = f" {index_text(text)} "
        there = {parts for parts in self._weights if f" {' '.join(parts)} " in indexed}
        folded = fold(text)
        there -= {parts for parts in there & self._figures.keys() if not self._figures[parts].search(folded)}
        weighing = (parts for parts in there if parts not in self._company or self._company[parts] & there)
        return sum(self._weights[parts] for parts in weighing) / self._total


@dataclass(frozen=True, slots=True)
class _Chunk:
    heading: str
    text: str
    parts: bytes | None


def weigh_evidence(
    connection: Connection,
    facts: IndexFacts,
    hits: Sequence[Hit],
    *,
    query: KeywordQuery,
    vector: Vectors | None,
    days: Collection[str] = (),
) -> tuple[Evidence, ...]:
    """`vector` is the raw query vector of the index's own model, or None; `days` are those that the message names
    (ISO), whose notes need less to be relevant. Best first."""
    scale = Scale(connection, facts, query)
    nearness = _Nearness(facts, vector)
    weighed = []
    for hit in hits:
        chunk = _load(connection, hit)
        if chunk is None:
            continue
        pieces = split_passages(chunk.text)
        near = nearness.of(chunk, len(pieces))
        if hit.source == "sessions":
            weighed.append(_said(hit, chunk, pieces, near, scale, named_day=hit.date in days))
            continue
        coverage = scale.coverage(f"{hit.path} {chunk.heading} {chunk.text}")
        relevance = coverage + max(near, default=0.0) + NAMED_DAY * (hit.date in days)
        bar = _bar(hit, coverage, near, named_day=hit.date in days)
        passages = _passages(hit, chunk, pieces, near, scale) if relevance >= bar else ()
        weighed.append(Evidence(hit, relevance, bar, passages))
    return tuple(sorted(weighed, key=lambda one: -one.relevance))


def _said(
    hit: Hit, chunk: _Chunk, pieces: Sequence[str], near: Sequence[float], scale: Scale, *, named_day: bool
) -> Evidence:
    """A part of a conversation: each line separately, without its speaker's label, and only if it may answer.

    A question, a line with a secret and one that hardly has the query's words answer nothing, however much the talk
    around them has in common with it.
    """
    said = []
    for number, lines in enumerate(_lines(hit, chunk.text, pieces, scale)):
        close = near[number] if near else 0.0
        for line in lines:
            text = _SPEAKER.sub("", line.text).strip()
            coverage = scale.coverage(text)
            if text and not _NO_ANSWER.search(text) and (coverage >= LEAST_SAID or close >= CLOSE_SAID):
                said.append(Passage(hit.path, (Line(text, line.number, coverage),), coverage + close, hit.pages))
    said.sort(key=lambda passage: -passage.score)
    relevance = said[0].score if said else 0.0
    bar = _bar(hit, said[0].lines[0].coverage if said else 0.0, near, named_day=named_day)
    return Evidence(hit, relevance, bar, tuple(one for one in said if one.score >= bar))


def _bar(hit: Hit, coverage: float, near: Sequence[float], *, named_day: bool) -> float:
    if hit.late_score is not None and hit.score < LEAST_SCORE and not named_day:
        return OUT_OF_REACH
    if not near:
        return BAR_WORDS_ONLY
    return BAR if coverage else BAR_NEARNESS_ALONE


class _Nearness:
    """Cosines of a chunk's passages with the query, on the model's calibrated 0..1 scale."""

    def __init__(self, facts: IndexFacts, vector: Vectors | None) -> None:
        self._vector: Vectors | None = None
        if vector is not None and facts.model is not None and vector.shape == (facts.model.identity.dims,):
            model = facts.model.identity.model
            ranking = resolve(RankingSpec(), model)
            self._low, self._high = ranking.vector_floor, ranking.vector_ceiling
            self._vector = centre_query(vector, model)

    def of(self, chunk: _Chunk, passages: int) -> list[float]:
        """One value per passage; empty when they cannot be compared."""
        if self._vector is None or chunk.parts is None:
            return []
        cosines = passage_cosines(chunk.parts, self._vector)
        if len(cosines) != passages:
            return []  # the text was cut in another way when it was embedded
        near: list[float] = np.clip((cosines - self._low) / (self._high - self._low), 0.0, 1.0).tolist()
        return near


def _load(connection: Connection, hit: Hit) -> _Chunk | None:
    row = connection.execute(
        "SELECT c.heading, c.text, e.parts FROM files f JOIN chunks c ON c.file_id = f.id"
        " LEFT JOIN embedding_cache e ON e.id = c.emb_id WHERE f.path = ? AND c.start_line = ? AND c.end_line = ?",
        (hit.path, hit.start_line, hit.end_line),
    ).fetchone()
    return _Chunk(*row) if row is not None else None


def _passages(
    hit: Hit, chunk: _Chunk, pieces: Sequence[str], near: Sequence[float], scale: Scale
) -> tuple[Passage, ...]:
    """The pieces of a relevant chunk, best first."""
    scored = [
        Passage(hit.path, lines, scale.coverage(piece) + (near[number] if near else 0.0), hit.pages)
        for number, (piece, lines) in enumerate(zip(pieces, _lines(hit, chunk.text, pieces, scale), strict=True))
    ]
    return tuple(sorted(scored, key=lambda passage: -passage.score))


def _lines(hit: Hit, text: str, pieces: Sequence[str], scale: Scale) -> list[tuple[Line, ...]]:
    """The lines of each piece with their numbers in the file; pieces follow each other in the text."""
    found = []
    at = 0
    for piece in pieces:
        lines = []
        for line in piece.split("\n"):
            at = max(at, text.find(line, at))
            lines.append(Line(line, hit.start_line + text.count("\n", 0, at), scale.coverage(line)))
            at += len(line)
        after = text[at + 1 :].split("\n", 1)[0] if text[at : at + 1] == "\n" else ""
        if goes_on(text[text.rfind("\n", 0, at) + 1 : at], after):
            rest = rest_of_sentence(after)
            lines.append(Line(rest, lines[-1].number + 1, scale.coverage(rest)))
        found.append(tuple(lines))
    return found
