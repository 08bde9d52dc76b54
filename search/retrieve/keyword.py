"""The keyword leg: FTS5's bm25 over stemmed words and character pairs, best first, within the asked collections."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from search.documents.terms import CJK_RUN, RUN
from search.index.chunks import collection_tag
from search.index.driver import Connection
from search.index.facts import IndexFacts
from search.retrieve.query import KeywordQuery, Term

LARGE_INDEX = 20_000
_ABSENT_PAIR = 0.3
_KEEP_AGENTS = 200
_KEEP_TERMS = 20_000


class KeywordHit(NamedTuple):
    """`raw` is -bm25: positive, higher is better."""

    chunk_id: int
    raw: float


class _Frequencies:
    """Document frequencies by index term, remembered per index; slightly old counts do no harm."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[int, dict[str, int]]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, connection: Connection, facts: IndexFacts, term: str) -> int:
        with self._lock:
            chunks, counts = self._known.get(facts.index_id, (facts.chunks, {}))
            if not 0.9 * facts.chunks <= chunks <= 1.1 * facts.chunks or len(counts) > _KEEP_TERMS:
                chunks, counts = facts.chunks, {}
            self._known[facts.index_id] = (chunks, counts)
            self._known.move_to_end(facts.index_id)
            while len(self._known) > _KEEP_AGENTS:
                self._known.popitem(last=False)
        known = counts.get(term)
        if known is None:
            known = int(connection.execute("SELECT doc FROM chunks_terms WHERE term = ?", (term,)).get or 0)
            if known:
                # That a word is nowhere is not remembered: the next note may bring it.
                counts[term] = known
        # Chunks may have gone since it was counted.
        return min(known, facts.chunks)


_frequencies = _Frequencies()


@dataclass(frozen=True, slots=True)
class KeywordLeg:
    """The best chunks, and `ideal`: about what a chunk with every word of the query would score."""

    hits: list[KeywordHit]
    ideal: float


def keyword_leg(
    connection: Connection, facts: IndexFacts, query: KeywordQuery, collections: frozenset[int] | None, limit: int
) -> KeywordLeg:
    """The `limit` best chunks; `collections` None means all. No hits when no term of the query occurs."""
    hits = _match(connection, _expression(connection, facts, query, collections), limit)
    if not hits:
        # The quoted words, or three letters of a script without spaces, never stand together: better their parts.
        parts = (Term((part,)) for term in (*query.required, *query.terms) for part in term.parts)
        relaxed = KeywordQuery(tuple(dict.fromkeys((*query.terms, *parts))), (), query.excluded)
        hits = _match(connection, _expression(connection, facts, relaxed, collections), limit)
    return KeywordLeg(hits, _ideal(connection, facts, query))


def _ideal(connection: Connection, facts: IndexFacts, query: KeywordQuery) -> float:
    """The sum of the inverse document frequencies of the query's words, those included that occur nowhere.

    Character pairs that occur nowhere mostly straddle two words; they count little.
    """
    total = 0.0
    for term in (*query.required, *query.terms):
        run = RUN.match(term.parts[0])
        spelt = run is not None and not CJK_RUN.match(term.parts[0])
        if term.prefix or (len(term.parts) > 1 and not spelt):
            continue
        frequency = min(_frequencies.of(connection, facts, part) for part in term.parts)
        idf = max(0.0, math.log((facts.chunks - frequency + 0.5) / (frequency + 0.5)))
        total += idf * (_ABSENT_PAIR if not frequency and run else 1.0)
    return total


def term_weights(connection: Connection, facts: IndexFacts, query: KeywordQuery) -> dict[str, float]:
    """How much each word of the query tells in this index: its inverse document frequency, never below 0."""
    found = {}
    for part in {part for term in (*query.required, *query.terms) for part in term.parts}:
        frequency = _frequencies.of(connection, facts, part)
        found[part] = math.log(1 + (facts.chunks - frequency + 0.5) / (frequency + 0.5))
    return found


def _match(connection: Connection, expression: str, limit: int) -> list[KeywordHit]:
    if not expression:
        return []
    rows = connection.execute(
        "SELECT rowid, rank FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rank LIMIT ?", (expression, limit)
    )
    hits = [KeywordHit(row[0], -row[1]) for row in rows]
    hits.sort(key=lambda hit: (-hit.raw, hit.chunk_id))
    return hits


def _expression(
    connection: Connection, facts: IndexFacts, query: KeywordQuery, collections: frozenset[int] | None
) -> str:
    """The FTS5 expression, or "" when nothing of the query is in the index."""
    text = "{title path body forms}"
    clauses = [f"{text} : {term.match()}" for term in query.required]
    terms = _worth_asking(connection, facts, query.terms)
    if (terms or query.forms) and not query.required:
        clauses.append(f"{text} : ({_any((*terms, *query.forms))})")
    if not clauses:
        return ""
    if collections is not None:
        if not collections:
            return ""
        tags = (f'"{collection_tag(collection)}"' for collection in sorted(collections))
        clauses.insert(0, f"tags : ({' OR '.join(tags)})")
    wanted = " AND ".join(f"({clause})" for clause in clauses)
    if query.excluded:
        return f"({wanted}) NOT ({text} : ({_any(query.excluded)}))"
    return wanted


def _any(terms: Iterable[Term]) -> str:
    return " OR ".join(term.match() for term in terms)


def _worth_asking(connection: Connection, facts: IndexFacts, terms: tuple[Term, ...]) -> list[Term]:
    """Terms that occur, without those too frequent to tell chunks apart.

    A term in more than half of the chunks has no weight in bm25 but costs the most. In large indexes the bound is
    tighter, which is what keeps long questions fast; the rarest terms always stay.
    """
    counted = []
    for term in terms:
        known = term.parts[:-1] if term.prefix else term.parts
        frequency = min((_frequencies.of(connection, facts, part) for part in known), default=1)
        if frequency:
            counted.append((frequency, term))
    bound = 0.5 if facts.chunks < LARGE_INDEX / 4 else 0.2 if facts.chunks <= LARGE_INDEX else 0.1
    kept = [term for frequency, term in counted if frequency <= max(1.0, bound * facts.chunks)]
    if len(kept) >= 2 or len(kept) == len(counted):
        return kept
    counted.sort(key=lambda pair: pair[0])
    return [term for _, term in counted[:3]]
