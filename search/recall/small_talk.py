"""is_small_talk(): a message of greetings, thanks, laughter and nods alone, for which no memory is looked up."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from search.documents.terms import fold

WORDS = Path(__file__).with_name("small_talk.toml")
MOST_CHARS = 120
"""A longer message says something, whatever its words are."""


def is_small_talk(text: str) -> bool:
    """`text` has no white space around it. True also for signs and emoji alone, False for an empty message."""
    if not text or len(text) > MOST_CHARS:
        return False
    words, runs = _patterns()
    return not re.search(r"\w", runs.sub(" ", words.sub(" ", fold(text))))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Longer ones first, so that "thank you" leaves no "you"."""
    entry = tomllib.loads(WORDS.read_text("utf-8"))
    words, runs = ("|".join(sorted(map(fold, entry[name]), key=len, reverse=True)) for name in ("words", "runs"))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)"), re.compile(f"(?:{runs})")
