"""TriggerIndex: which curated entries a message calls up by their trigger phrases, without any model.

Phrases are looked up by their words and character pairs, so the cost grows with the message and not with the memory.
Scores are the reference's (memory semantics 9.4); a run of Han, kana or Hangul is matched inside the message's runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from search.documents.terms import CJK_RUN, RUN, compounds, fold, index_text, run_terms, stem, tokens, units
from search.recall.outcome import Source
from search.retrieve.query import parse_query

STRONG = 0.65
MAX_ENTRIES = 3
MAX_CHARS = 1_800
MAX_MESSAGE_CHARS = 2_000
MAX_CANDIDATES = 512
SPREAD = 3
"""Characters of a CJK phrase count as found in order when they lie within this many times its length."""


@dataclass(frozen=True, slots=True)
class TriggeredEntry:
    """An annotated entry of a curated file."""

    source: Source
    text: str
    triggers: tuple[str, ...]
    projects: frozenset[str] = frozenset()
    importance: int | None = None


@dataclass(frozen=True, slots=True)
class FastHit:
    entry: TriggeredEntry
    score: float


@dataclass(frozen=True, slots=True)
class _Phrase:
    entry: int
    words: frozenset[str]
    runs: tuple[str, ...]
    keys: int
    """Words and character pairs; a message with fewer than half of them cannot call it up strongly."""


class TriggerIndex:
    """The triggers of one agent's curated files; made once per state of these files, read by any thread."""

    def __init__(self, entries: Sequence[TriggeredEntry]) -> None:
        self._entries = tuple(entries)
        self._terms = [frozenset(index_text(entry.text).split()) for entry in entries]
        self._phrases: list[_Phrase] = []
        self._by_key: dict[str, list[int]] = {}
        for number, entry in enumerate(entries):
            for trigger in entry.triggers:
                phrase = _phrase(number, trigger)
                if phrase is None:
                    continue
                for key in _keys(phrase.words, phrase.runs):
                    self._by_key.setdefault(key, []).append(len(self._phrases))
                self._phrases.append(phrase)

    def __len__(self) -> int:
        return len(self._phrases)

    def hits(self, message: str, projects: Iterable[str] = ()) -> tuple[FastHit, ...]:
        """Entries that the message strongly calls up, best first; those of projects that are not all active are left
        out."""
        message = message[:MAX_MESSAGE_CHARS]
        words, runs = _split(message)
        words |= frozenset(compounds(fold(message)))
        active = frozenset(projects)
        shared: Counter[int] = Counter()
        for key in _keys(words, runs):
            shared.update(self._by_key.get(key, ()))
        best: dict[int, float] = {}
        for number, count in shared.most_common(MAX_CANDIDATES):
            phrase = self._phrases[number]
            if 2 * count >= phrase.keys and self._entries[phrase.entry].projects <= active:
                best[phrase.entry] = max(best.get(phrase.entry, 0.0), _phrase_score(phrase, words, runs))
        hopeful = {number: score for number, score in best.items() if 0.8 * score + 0.2 >= STRONG}
        if not hopeful:
            return ()
        asked = {part for term in parse_query(message).terms for part in term.parts}
        found = [
            FastHit(self._entries[number], 0.8 * score + 0.2 * self._relevance(number, asked))
            for number, score in hopeful.items()
        ]
        return tuple(
            sorted(
                (hit for hit in found if hit.score >= STRONG),
                key=lambda hit: (-hit.score, -(hit.entry.importance or 0), hit.entry.source.start_line),
            )
        )

    def _relevance(self, entry: int, asked: set[str]) -> float:
        """Share of the message's own terms that the entry's text has."""
        return len(asked & self._terms[entry]) / len(asked) if asked else 0.0


def normal_form(trigger: str) -> tuple[frozenset[str], tuple[str, ...]] | None:
    """What a trigger is compared by: two with the same are one. None for a phrase that never fires."""
    phrase = _phrase(0, trigger)
    return (phrase.words, phrase.runs) if phrase is not None else None


def _split(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Stemmed words of more than one character, and runs of scripts without spaces."""
    found = tokens(text)
    runs = tuple(token for token in found if RUN.match(token))
    return frozenset(stem(token) for token in found if len(token) > 1 and not RUN.match(token)), runs


def _phrase(entry: int, trigger: str) -> _Phrase | None:
    """None for a phrase of one character, which would fire on anything."""
    words, runs = _split(trigger)
    kept = tuple(run for run in runs if len(units(run)) > 1)
    return _Phrase(entry, words, kept, len(_keys(words, kept))) if words or kept else None


def _keys(words: Iterable[str], runs: Iterable[str]) -> set[str]:
    return {*words, *(pair for run in runs for pair in run_terms(run)[:-1])}


def _phrase_score(phrase: _Phrase, words: frozenset[str], runs: Sequence[str]) -> float:
    """One unit: 0.85 when it is there. Several: their share, and a little more when two or more are there.

    A word is one unit; a run counts by its visible characters.
    """
    wanted = len(phrase.words) + sum(len(units(run)) for run in phrase.runs)
    overlap = len(phrase.words & words) + sum(_in_order(run, runs) for run in phrase.runs)
    if wanted == 1:
        return 0.85 * overlap
    return 0.8 * overlap / wanted + 0.2 * min(1.0, overlap / 2)


def _in_order(wanted: str, runs: Sequence[str]) -> int:
    """How many characters of `wanted` stand in one run of the message in this order and near to each other.

    All of them only where they stand together: with something between, at least one does not count.
    """
    if not CJK_RUN.match(wanted):
        # Letters of an alphabet in the same order are no sign of the same word.
        pairs = f" {' '.join(run_terms(wanted)[:-1])} "
        return len(units(wanted)) if any(pairs in f" {' '.join(run_terms(run))} " for run in runs) else 0
    if any(wanted in run for run in runs):
        return len(wanted)
    return min(len(wanted) - 1, max((_common(wanted, run) for run in runs), default=0))


def _common(wanted: str, run: str) -> int:
    """Longest common subsequence within a window of `SPREAD` times the phrase."""
    window = SPREAD * len(wanted)
    best = 0
    for start in [at for at, char in enumerate(run) if char in wanted]:
        row = [0] * (len(wanted) + 1)
        for char in run[start : start + window]:
            diagonal = 0
            for place, other in enumerate(wanted, 1):
                above = row[place]
                row[place] = diagonal + 1 if char == other else max(above, row[place - 1])
                diagonal = above
        best = max(best, row[-1])
    return best
