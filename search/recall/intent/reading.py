"""read_message(): what a message shows on its surface: sure patterns, cues, shape and n-grams.

Quoted passages, code blocks and the text behind "translate:" are somebody else's words: they are masked first, so
that a quoted "we spoke about it" does not count as the writer's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from search.documents.terms import fold
from search.language.scripts import scripts_of
from search.recall.intent.language import Language, languages

LONGEST = 1_200
"""Characters read of a message: its first and its last half. Longer ones carry the ask at one of their ends."""

MASK = " ¤ "
_QUOTED = re.compile(
    r'```.*?(?:```|\Z)|`[^`\n]{1,400}`|"[^"\n]{3,800}"|“[^”]{1,800}”|«[^»]{1,800}»|「[^」]{1,800}」|『[^』]{1,800}』',
    re.DOTALL,
)
_AFTER_COLON = re.compile(r":(?!//)\s*.{4,}\Z", re.DOTALL)
_SPACES = re.compile(r"\s+")
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-3][0-9])(?!\d)")

SHAPES = ("quoted", "question", "ellipsis", "colon", "year", "number", "tiny", "short", "long", "recall", "none")


@dataclass(frozen=True, slots=True)
class Reading:
    """`text` is folded, masked and on one line."""

    text: str
    scripts: frozenset[str]
    cues: frozenset[str]
    shapes: frozenset[str]
    recall: str
    """The words that a sure pattern matched, or empty."""
    none: str


def read_message(message: str) -> Reading:
    """Bounded work, whatever the message's length."""
    if len(message) > LONGEST:
        message = f"{message[: LONGEST // 2]}\n{message[-LONGEST // 2 :]}"
    folded = fold(message)
    scripts = scripts_of(folded)
    spoken = [language for language in languages() if language.reads(scripts)]
    text, quoted = _mask(folded, spoken)
    recall, none = _first(text, spoken, "recall"), _first(text, spoken, "none")
    size = len(text.encode("utf-8", "replace"))  # in bytes, so that a Han character counts about as much as a word
    shapes = {
        "quoted": quoted,
        "question": "?" in text,
        "ellipsis": text.rstrip("? ").endswith("..."),
        "colon": ":" in text,
        "year": bool(_YEAR.search(text)),
        "number": any(map(str.isdigit, text)),
        "tiny": size <= 18,
        "short": size <= 36,
        "long": size > 120,
        "recall": bool(recall),
        "none": bool(none),
    }
    cues = {name for language in spoken for name, pattern in language.cues.items() if pattern.search(text)}
    present = frozenset(name for name, holds in shapes.items() if holds)
    return Reading(text, scripts, frozenset(cues), present, recall, none)


def _mask(folded: str, spoken: list[Language]) -> tuple[str, bool]:
    """The writer's own words on one line, and whether something was masked."""
    own, masked = _QUOTED.subn(MASK, folded)
    if not own.replace(MASK.strip(), "").strip():
        own, masked = folded, 0  # a message wholly in quotes is the writer's
    colon = _AFTER_COLON.search(own)
    if colon and _first(own[: colon.start()], spoken, "none") + _task(own[: colon.start()], spoken):
        own, masked = f"{own[: colon.start()]}:{MASK}", 1
    return _SPACES.sub(" ", own).strip(), bool(masked)


def _task(text: str, spoken: list[Language]) -> str:
    """The words that ask for work on a text, such as "translate"."""
    for language in spoken:
        pattern = language.cues.get("text_task")
        match = pattern.search(text) if pattern else None
        if match:
            return match[0]
    return ""


def _first(text: str, spoken: list[Language], kind: str) -> str:
    for language in spoken:
        pattern = language.recall if kind == "recall" else language.none
        match = pattern.search(text) if pattern else None
        if match and match[0].strip():
            return match[0].strip()
    return ""
