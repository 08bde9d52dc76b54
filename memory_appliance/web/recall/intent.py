"""intent_view(): what was said of a message's intent, and which of its words spoke for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_appliance.web.recall.words import CUES
from search.recall.intent import THRESHOLD, IntentVerdict, cue_words
from search.recall.query import clean

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Hint:
    """`words` are empty where the message was not kept."""

    meaning: StrOrPromise
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IntentView:
    """`pattern`: the words that settled it alone; else the trained judge weighed hints, the whole text and, with
    `by_meaning`, its vector."""

    recall: bool
    score: float
    pattern: str
    by_meaning: bool
    hints: tuple[Hint, ...]
    threshold: float = THRESHOLD


def intent_view(verdict: IntentVerdict, message: str | None = None) -> IntentView:
    """`message`: as it was sent, when it is known."""
    how, _, rest = verdict.evidence.partition(": " if verdict.evidence.startswith("pattern: ") else "; cues: ")
    pattern = rest if how == "pattern" else ""
    return IntentView(
        recall=verdict.verdict == "recall",
        score=verdict.score,
        pattern=pattern,
        by_meaning=how == "words and meaning",
        hints=_hints(message) if message is not None else () if pattern else _named(rest),
    )


def _hints(message: str) -> tuple[Hint, ...]:
    return tuple(Hint(CUES.get(found.cue, found.cue), found.words) for found in cue_words(clean(message)))


def _named(cues: str) -> tuple[Hint, ...]:
    return tuple(Hint(CUES.get(cue, cue)) for cue in cues.split(", ") if cue and cue != "none")
