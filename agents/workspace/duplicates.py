"""find_duplicate(): whether a file says the same already, in the same or nearly the same words.

Nearly the same is meant narrowly: case, accents, width, script variant, punctuation, list markers and articles may
differ; a number, its sign, a name, a tense or a negation may not. A note that is kept twice costs a line; one that is
wrongly taken for a duplicate is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from search.documents.annotations import strip_annotations
from search.documents.terms import CJK_RUN, fold, tokens

_MARKER = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_EMPTY_WORDS = frozenset({"a", "an", "the", "der", "die", "das", "el", "la", "los", "las", "le", "les"})
_PARTICLES = re.compile("[的啦呢啊呀]")
_MEASURES = re.compile(r"[-−+<>=≤≥≠~$€£¥](?=\s?\d)|(?<=\d)\s?[%‰°$€£¥]")
_SIGNS = re.compile(r"[^\w\s]")

Key = tuple[str, ...]


def find_duplicate(lines: Sequence[str], note: Sequence[str]) -> tuple[int, int] | None:
    """1-based first and last line of the passage in `lines` that says what the lines of `note` say."""
    wanted = [key for key in _keys(note) if key]
    if not wanted:
        return None
    filled = [(number, key) for number, key in enumerate(_keys(lines), start=1) if key]
    for place in range(len(filled) - len(wanted) + 1):
        if filled[place][1] == wanted[0] and [key for _, key in filled[place : place + len(wanted)]] == wanted:
            return filled[place][0], filled[place + len(wanted) - 1][0]
    return None


def _keys(lines: Sequence[str]) -> list[Key]:
    stripped, _ = strip_annotations(lines, curated=True)
    return [_key(line) for line in stripped]


def _key(line: str) -> Key:
    """What a line says; empty for an empty line. A line of signs alone is compared sign by sign."""
    line = _MARKER.sub("", line).strip()
    words = [_PARTICLES.sub("", word) if CJK_RUN.match(word) else word for word in tokens(line)]
    said = [word for word in words if word and word not in _EMPTY_WORDS]
    if said:
        # A run of CJK text is split by punctuation that may differ.
        return (*_joined_runs(said), *(sign.strip() for sign in _MEASURES.findall(line)))
    return tuple(_SIGNS.findall(fold(line)) or line.split())


def _joined_runs(words: list[str]) -> list[str]:
    joined: list[str] = []
    for word in words:
        if joined and CJK_RUN.fullmatch(word) and CJK_RUN.fullmatch(joined[-1]):
            joined[-1] += word
        else:
            joined.append(word)
    return joined
