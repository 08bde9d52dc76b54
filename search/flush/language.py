"""The words of each language by which a flush tells what a sentence is: the table `flush` of its file.

A table names its script, whether its patterns are whole words, its words for the cues that all languages share, and
sentences that are worth a note or are not: prototypes for the embedder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from search.documents.terms import fold
from search.language.scripts import is_read, scripts_of
from search.language.tables import BadLanguage, tables

CUES = (
    "decision",
    "fact",
    "preference",
    "task",
    "keep",
    "hypothetical",
    "joke",
    "uncertain",
    "other",
    "secret",
    "talk",
    "forwarded",
    "state",
    "play",
    "play_end",
    "retract",
    "kept",
    "refused",
)
"""What a message can show. `other` is somebody else's affair; `state` is so only for now; `play` begins a game or a
story, `play_end` ends it; `retract` is said by the user about the message before; `kept` and `refused` by the assistant
in answer."""


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    script: str
    cues: dict[str, re.Pattern[str]]
    keep: tuple[str, ...]
    drop: tuple[str, ...]

    def reads(self, scripts: frozenset[str]) -> bool:
        return is_read(self.script, scripts)


@cache
def languages() -> tuple[Language, ...]:
    return tuple(read_language(name, table) for name, table in tables("flush").items())


@lru_cache(64)  # a text is asked about several times in a row
def cues_of(text: str) -> frozenset[str]:
    """The cues in a text, in every language that its scripts may be."""
    folded = fold(text)
    scripts = scripts_of(folded)
    spoken = (language for language in languages() if language.reads(scripts))
    return frozenset(name for language in spoken for name, cue in language.cues.items() if cue.search(folded))


def read_language(name: str, entry: dict[str, Any]) -> Language:
    """Raises `BadLanguage`."""
    try:
        whole_words = bool(entry["whole_words"])
        cues = {cue: _compile(patterns, whole_words) for cue, patterns in entry["cues"].items()}
        keep, drop = (tuple(entry["prototypes"][kind]) for kind in ("keep", "drop"))
        script = str(entry["script"])
    except (ValueError, AttributeError, KeyError, TypeError, re.error) as error:
        raise BadLanguage(f"{name}: {error!r}") from error
    if set(cues) != set(CUES):
        raise BadLanguage(f"{name}: cues that are missing or unknown: {sorted(set(cues) ^ set(CUES))}")
    return Language(name, script, cues, keep, drop)


def _compile(patterns: list[str], whole_words: bool) -> re.Pattern[str]:
    """One alternation, folded as the texts are, so that accents and Chinese variants need no second spelling."""
    alternation = "|".join(fold(pattern) for pattern in patterns)
    return re.compile(rf"(?<!\w)(?:{alternation})(?!\w)" if whole_words else alternation)
