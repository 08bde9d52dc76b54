"""The words of each language by which a flush tells what a sentence is, read from `languages/*.toml`.

A file names its script, whether its patterns are whole words, its words for the cues that all languages share, and
sentences that are worth a note or are not: prototypes for the embedder. Adding a language is adding a file.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from search.documents.terms import fold

SCRIPTS = {
    "latin": re.compile("[a-z]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "hangul": re.compile("[\uac00-\ud7af]"),
    "kana": re.compile("[\u3040-\u30ff]"),
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
}
FOLDER = Path(__file__).parent / "languages"

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


class BadLanguage(ValueError):
    """A language file that cannot be used; the message names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    script: str
    cues: dict[str, re.Pattern[str]]
    keep: tuple[str, ...]
    drop: tuple[str, ...]

    def reads(self, scripts: frozenset[str]) -> bool:
        """Whether the file is for a text in these scripts. Kana marks Japanese, whose Han is not Chinese."""
        return self.script in scripts and not (self.script == "han" and "kana" in scripts)


@cache
def languages() -> tuple[Language, ...]:
    return tuple(read_language(path) for path in sorted(FOLDER.glob("*.toml")))


@lru_cache(64)  # a text is asked about several times in a row
def cues_of(text: str) -> frozenset[str]:
    """The cues in a text, in every language that its scripts may be."""
    folded = fold(text)
    scripts = frozenset(name for name, letters in SCRIPTS.items() if letters.search(folded))
    spoken = (language for language in languages() if language.reads(scripts))
    return frozenset(name for language in spoken for name, cue in language.cues.items() if cue.search(folded))


def read_language(path: Path) -> Language:
    """Raises `BadLanguage`."""
    try:
        entry = tomllib.loads(path.read_text("utf-8"))
        whole_words = bool(entry["whole_words"])
        cues = {name: _compile(patterns, whole_words) for name, patterns in entry["cues"].items()}
        keep, drop = (tuple(entry["prototypes"][name]) for name in ("keep", "drop"))
        script = str(entry["script"])
    except (OSError, ValueError, KeyError, TypeError, re.error) as error:
        raise BadLanguage(f"{path.name}: {error!r}") from error
    if set(cues) != set(CUES):
        raise BadLanguage(f"{path.name}: cues that are missing or unknown: {sorted(set(cues) ^ set(CUES))}")
    return Language(path.stem, script, cues, keep, drop)


def _compile(patterns: list[str], whole_words: bool) -> re.Pattern[str]:
    """One alternation, folded as the texts are, so that accents and Chinese variants need no second spelling."""
    alternation = "|".join(fold(pattern) for pattern in patterns)
    return re.compile(rf"(?<!\w)(?:{alternation})(?!\w)" if whole_words else alternation)
