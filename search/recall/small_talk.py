"""is_small_talk(): a message of greetings, thanks, laughter and nods alone, for which no memory is looked up.

`words` of a language stand alone in scripts with spaces, `runs` are what scripts without are made of.
"""

from __future__ import annotations

import re
from functools import cache

from search.documents.terms import fold
from search.language.tables import tables

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
    kept = tables("small_talk").values()
    words, runs = (
        "|".join(sorted((fold(word) for table in kept for word in table[kind]), key=len, reverse=True))
        for kind in ("words", "runs")
    )
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)"), re.compile(f"(?:{runs})")
