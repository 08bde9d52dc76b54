"""SCRIPTS: which scripts a text is written in, and so which languages it may be."""

from __future__ import annotations

import re

SCRIPTS = {
    "latin": re.compile("[a-z]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "hangul": re.compile("[\uac00-\ud7af]"),
    "kana": re.compile("[\u3040-\u30ff]"),
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
}
ANY_SCRIPT = "any"


def scripts_of(folded: str) -> frozenset[str]:
    """The scripts that occur in a folded text."""
    return frozenset(name for name, letters in SCRIPTS.items() if letters.search(folded))


def is_read(script: str, scripts: frozenset[str]) -> bool:
    """Whether words in `script` are for a text in `scripts`. Kana marks Japanese, whose Han is not Chinese."""
    return script == ANY_SCRIPT or (script in scripts and not (script == "han" and "kana" in scripts))
