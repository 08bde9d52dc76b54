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
    wanted = [key for key in map(_key, note) if key]
    if not wanted:
        return None
    needles = _needles(wanted[0])
    for index, folded in enumerate(fold("\n".join(lines)).split("\n")):
        # Most lines of a long file are told apart by a look; only the rest is taken to pieces.
        if all(needle in folded for needle in needles) and _key(lines[index]) == wanted[0]:
            last = _last_line(lines, index, wanted[1:])
            if last is not None:
                return index + 1, last + 1
    return None


def _needles(key: Key) -> tuple[str, ...]:
    """Folded pieces that every line with this key holds as they are."""
    words = [word for word in key if not CJK_RUN.match(word)]
    return (max(words, key=len),) if words else tuple(dict.fromkeys(key[0]))[:4]


def _last_line(lines: Sequence[str], first: int, wanted: Sequence[Key]) -> int | None:
    """Index of the line where the passage ends; None when what follows says something else."""
    last = first
    for key in wanted:
        last += 1
        while last < len(lines) and not lines[last].strip():
            last += 1
        if last == len(lines) or _key(lines[last]) != key:
            return None
    return last


def _key(line: str) -> Key:
    """What a line says; empty for an empty line. A line of signs alone is compared sign by sign."""
    line = strip_annotations([line], curated=True)[0][0]
    line = _MARKER.sub("", line).strip()
    words = [_PARTICLES.sub("", word) if CJK_RUN.match(word) else word for word in tokens(line)]
    said = [word for word in words if word and word not in _EMPTY_WORDS]
    if said:
        # A run of CJK text is split by punctuation that may differ.
        return (*_joined_runs(said), *(sign.strip() for sign in _MEASURES.findall(fold(line))))
    return tuple(_SIGNS.findall(fold(line)) or fold(line).split())


def _joined_runs(words: list[str]) -> list[str]:
    joined: list[str] = []
    for word in words:
        if joined and CJK_RUN.fullmatch(word) and CJK_RUN.fullmatch(joined[-1]):
            joined[-1] += word
        else:
            joined.append(word)
    return joined
