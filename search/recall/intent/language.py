"""The patterns of each language, from the table `intent` of its file in `search/language/languages`.

A table says which script it reads, whether its patterns are whole words, the `recall` and `none` patterns of the sure
cases, and its words for the cues that all languages share.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from search.documents.terms import fold
from search.language.scripts import ANY_SCRIPT, SCRIPTS, is_read
from search.language.tables import BadLanguage, tables

CUES = (
    "past_time",
    "talk",
    "done",
    "told",
    "decide",
    "ask_memory",
    "usual",
    "prefer",
    "mine",
    "me",
    "you",
    "that",
    "which",
    "again",
    "kept",
    "go_on",
    "final",
    "future",
    "keep_this",
    "remind",
    "rule",
    "text_task",
    "make",
    "world",
    "advice",
    "chat",
    "code",
)
"""What a message can hint at; each language has its own words for them. The trained head weighs them."""

_UNSAFE = re.compile("\\\\[A-Z]|[\uff01-\uff5e]")
"""What folding would turn into another pattern: escapes in capitals, full-width marks."""


@dataclass(frozen=True, slots=True)
class Language:
    """One table, compiled. A pattern that is None has no words in this language."""

    name: str
    script: str
    recall: re.Pattern[str] | None
    none: re.Pattern[str] | None
    cues: dict[str, re.Pattern[str]]

    def reads(self, scripts: frozenset[str]) -> bool:
        return is_read(self.script, scripts)


@cache
def languages() -> tuple[Language, ...]:
    """Every language of this package."""
    return tuple(read_language(name, table) for name, table in tables("intent").items())


def read_language(name: str, entry: dict[str, Any]) -> Language:
    """Raises `BadLanguage`."""
    try:
        script, whole_words = entry["script"], entry["whole_words"]
        cues = {cue: _compile(words, whole_words) for cue, words in entry["cues"].items()}
        recall, none = _compile(entry["recall"], whole_words), _compile(entry["none"], whole_words)
    except (ValueError, AttributeError, KeyError, TypeError, re.error) as error:
        raise BadLanguage(f"{name}: {error!r}") from error
    if script != ANY_SCRIPT and script not in SCRIPTS:
        raise BadLanguage(f"{name}: script {script!r} is none of {', '.join((ANY_SCRIPT, *SCRIPTS))}")
    unknown = sorted(set(cues) - set(CUES))
    if unknown:
        raise BadLanguage(f"{name}: no such cue: {', '.join(unknown)}")
    present = {cue: pattern for cue, pattern in cues.items() if pattern is not None}
    return Language(name, script, recall, none, present)


def _compile(patterns: list[str], whole_words: bool) -> re.Pattern[str] | None:
    """One alternation, folded as the texts are, so that accents and Chinese variants need no second spelling."""
    for pattern in patterns:
        if _UNSAFE.search(pattern):
            raise ValueError(f"pattern {pattern!r}: escapes in capitals and full-width marks do not survive folding")
    if not patterns:
        return None
    alternation = "|".join(fold(pattern) for pattern in patterns)
    return re.compile(rf"(?<!\w)(?:{alternation})(?!\w)" if whole_words else alternation)
