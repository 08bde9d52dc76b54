"""The patterns of each language, read from `languages/*.toml`: adding a language is adding a file.

A file says which script it reads, whether its patterns are whole words, the `recall` and `none` patterns of the sure
cases, and its words for the cues that all languages share.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from search.documents.terms import fold

FOLDER = Path(__file__).parent / "languages"

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

SCRIPTS = {
    "latin": re.compile("[a-z]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "hangul": re.compile("[\uac00-\ud7af]"),
    "kana": re.compile("[\u3040-\u30ff]"),
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
}
ANY_SCRIPT = "any"
_UNSAFE = re.compile("\\\\[A-Z]|[\uff01-\uff5e]")
"""What folding would turn into another pattern: escapes in capitals, full-width marks."""


class BadLanguage(ValueError):
    """A language file that cannot be used; the message names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Language:
    """One file, compiled. A pattern that is None has no words in this language."""

    name: str
    script: str
    recall: re.Pattern[str] | None
    none: re.Pattern[str] | None
    cues: dict[str, re.Pattern[str]]

    def reads(self, scripts: frozenset[str]) -> bool:
        """Whether the file is for a text in these scripts. Kana marks Japanese, whose Han is not Chinese."""
        if self.script == ANY_SCRIPT:
            return True
        return self.script in scripts and not (self.script == "han" and "kana" in scripts)


@cache
def languages() -> tuple[Language, ...]:
    """Every language of this package."""
    return tuple(read_language(path) for path in sorted(FOLDER.glob("*.toml")))


def scripts_of(folded: str) -> frozenset[str]:
    """The scripts that occur in a folded text."""
    return frozenset(name for name, letters in SCRIPTS.items() if letters.search(folded))


def read_language(path: Path) -> Language:
    """Raises `BadLanguage`."""
    try:
        entry = tomllib.loads(path.read_text("utf-8"))
        script, whole_words = entry["script"], entry["whole_words"]
        cues = {name: _compile(words, whole_words) for name, words in entry["cues"].items()}
        recall, none = _compile(entry["recall"], whole_words), _compile(entry["none"], whole_words)
    except (OSError, ValueError, KeyError, TypeError, re.error) as error:
        raise BadLanguage(f"{path.name}: {error!r}") from error
    if script != ANY_SCRIPT and script not in SCRIPTS:
        raise BadLanguage(f"{path.name}: script {script!r} is none of {', '.join((ANY_SCRIPT, *SCRIPTS))}")
    unknown = sorted(set(cues) - set(CUES))
    if unknown:
        raise BadLanguage(f"{path.name}: no such cue: {', '.join(unknown)}")
    present = {name: pattern for name, pattern in cues.items() if pattern is not None}
    return Language(path.stem, script, recall, none, present)


def _compile(patterns: list[str], whole_words: bool) -> re.Pattern[str] | None:
    """One alternation, folded as the texts are, so that accents and Chinese variants need no second spelling."""
    for pattern in patterns:
        if _UNSAFE.search(pattern):
            raise ValueError(f"pattern {pattern!r}: escapes in capitals and full-width marks do not survive folding")
    if not patterns:
        return None
    alternation = "|".join(fold(pattern) for pattern in patterns)
    return re.compile(rf"(?<!\w)(?:{alternation})(?!\w)" if whole_words else alternation)
