"""The fast lane: entries of the curated files that the message calls up by their triggers, as lines of the block."""

from __future__ import annotations

from dataclasses import dataclass

from search.errors import IndexUnavailable
from search.index.pool import reading
from search.recall.outcome import Note, Source
from search.recall.query import cut
from search.recall.summary import plain
from search.recall.trigger_store import trigger_index
from search.recall.triggers import MAX_CHARS, MAX_ENTRIES
from search.spec import IndexSpec


@dataclass(frozen=True, slots=True)
class FastAnswer:
    """Entries that the message strongly calls up; `problem` says why none could be looked for."""

    notes: tuple[Note, ...] = ()
    triggers: int = 0
    problem: str = ""

    @property
    def strong(self) -> bool:
        return bool(self.notes)

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(note.source for note in self.notes)


def fast_lane(spec: IndexSpec, message: str, projects: tuple[str, ...]) -> FastAnswer:
    """At most three entries and 1,800 characters; an index that is not there yet has no triggers."""
    try:
        with reading(spec.path) as connection:
            index = trigger_index(connection, spec)
    except IndexUnavailable as error:
        return FastAnswer(problem=error.message)
    notes = []
    left = MAX_CHARS
    for hit in index.hits(message, projects)[:MAX_ENTRIES]:
        text = cut(plain(hit.entry.text.split("\n")), left, mark="…") if left > 1 else ""
        if text:
            notes.append(Note(text, hit.entry.source))
            left -= len(text)
    return FastAnswer(tuple(notes), len(index))
