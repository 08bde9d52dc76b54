"""Findings: everything the tools returned in one turn, weighed as it comes in, and the extractive answer it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from search.documents.terms import index_text
from search.get import GetResult
from search.outcome import Hit
from search.recall.evidence import Evidence
from search.recall.outcome import Note, Source
from search.recall.summary import extract, joined
from search.retrieve.query import parse_query

MAX_SOURCES = 5
SHARE_OF_BEST = 0.5
"""A further source is named when it is at least this relevant in comparison with the best one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer as it could go out now."""

    summary: str
    notes: tuple[Note, ...]
    sources: tuple[Source, ...]

    def further(self) -> tuple[Source, ...]:
        """Sources that no note of the block cites."""
        cited = {(note.source.path, note.source.start_line) for note in self.notes}
        return tuple(
            source
            for source in self.sources
            if not any(path == source.path and source.start_line <= line <= source.end_line for path, line in cited)
        )


class Findings:
    """Belongs to one run; never shared between threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._evidence: dict[tuple[str, int], Evidence] = {}
        self._hits: dict[Source, str] = {}
        self.texts: list[str] = []
        """What the tools returned, for the check that a summary is grounded."""
        self.paths: set[str] = set()
        """What may be read by `memory_get`: paths that a search of this turn returned."""

    def add(self, hits: Sequence[Hit], evidence: Sequence[Evidence]) -> int:
        """Returns how many of the passages are relevant."""
        self.texts += [hit.snippet for hit in hits]
        self.paths.update(hit.path for hit in hits)
        self._hits.update({Source(hit.path, hit.start_line, hit.end_line, hit.pages): hit.snippet for hit in hits})
        for one in evidence:
            key = (one.hit.path, one.hit.start_line)
            if key not in self._evidence or self._evidence[key].relevance < one.relevance:
                self._evidence[key] = one
        return sum(one.relevant for one in evidence)

    def read(self, result: GetResult) -> None:
        if result.status == "ok":
            self.texts.append(result.text)

    def relevant(self) -> list[Evidence]:
        """Best first, without those far behind the best."""
        ranked = sorted((one for one in self._evidence.values() if one.relevant), key=lambda one: -one.relevance)
        return [one for one in ranked if one.relevance >= SHARE_OF_BEST * ranked[0].relevance][:MAX_SOURCES]

    def carrying(self, note: str) -> tuple[Source, ...]:
        """The passages that a written note rests on, the one that shares most of its words first."""
        wanted = {part for term in parse_query(note.replace('"', " ")).terms for part in term.parts}
        shared = {source: len(wanted & set(index_text(snippet).split())) for source, snippet in self._hits.items()}
        most = max(shared.values(), default=0)
        ranked = sorted(shared, key=lambda source: -shared[source])
        return tuple(source for source in ranked if 2 * shared[source] >= most)[:3]

    def extracted(self) -> Finding | None:
        """The extractive answer; None when nothing is relevant enough."""
        chosen = self.relevant()
        notes = extract(chosen, self._limit)
        if not notes:
            return None
        return Finding(joined(notes), notes, tuple(one.source for one in chosen))
