"""trigger_report(): every trigger phrase of the curated files, where it stands, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from search.index.pool import reading
from search.recall.outcome import Source
from search.recall.trigger_store import CuratedState, curated_state, entries_with_triggers
from search.recall.triggers import TriggeredEntry, normal_form
from search.runtime.cache import LruCache
from search.spec import IndexSpec

SHORT = 3
"""A phrase of one word of at most so many letters stands in many messages that do not mean it."""

_KEEP = 50
_reports: LruCache[str, tuple[CuratedState, tuple[Trigger, ...]]] = LruCache(_KEEP)

Flaw = Literal["never", "short", "duplicate", "unheeded"]


@dataclass(frozen=True, slots=True)
class Trigger:
    """`never` fires; is `short`; is a `duplicate` of those at `also`; is `unheeded`, because its line is of unknown
    origin."""

    phrase: str
    entry: TriggeredEntry
    flaws: tuple[Flaw, ...] = ()
    also: tuple[Source, ...] = ()


def trigger_report(spec: IndexSpec) -> tuple[Trigger, ...]:
    """By file and line; made once per state of the curated files. Raises `IndexUnavailable`."""
    with reading(spec.path) as connection:
        index_id, state = curated_state(connection, spec)
        known = _reports.get(index_id)
        if known is not None and known[0] == state:
            return known[1]
        heeded = entries_with_triggers(connection, spec)
        unheeded = entries_with_triggers(connection, spec, heeded=False)
    report = _report(heeded, unheeded)
    _reports.put(index_id, (state, report))
    return report


def _report(heeded: Sequence[TriggeredEntry], unheeded: Sequence[TriggeredEntry]) -> tuple[Trigger, ...]:
    places: dict[object, list[Source]] = {}
    for entry in heeded:
        for form in {normal_form(phrase) for phrase in entry.triggers}:
            places.setdefault(form, []).append(entry.source)
    found = [_heeded(phrase, entry, places) for entry in heeded for phrase in entry.triggers]
    found += [Trigger(phrase, entry, ("unheeded",)) for entry in unheeded for phrase in entry.triggers]
    return tuple(sorted(found, key=lambda trigger: (trigger.entry.source.path, trigger.entry.source.start_line)))


def _heeded(phrase: str, entry: TriggeredEntry, places: dict[object, list[Source]]) -> Trigger:
    form = normal_form(phrase)
    if form is None:
        return Trigger(phrase, entry, ("never",))
    also = tuple(source for source in places[form] if source != entry.source)
    return Trigger(phrase, entry, tuple(_flaws(*form, also)), also)


def _flaws(words: frozenset[str], runs: tuple[str, ...], also: tuple[Source, ...]) -> Iterator[Flaw]:
    if len(words) == 1 and not runs and len(next(iter(words))) <= SHORT:
        yield "short"
    if also:
        yield "duplicate"
