"""find_duplicate(): whether a file says the same already: the same text but for case, white space and Unicode's forms.

Nothing looser: C and C++, a tick and a cross, two vowel signs are other facts. A note that is kept twice costs a line;
one that is wrongly taken for a duplicate is lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from search.documents.annotations import strip_annotations

_BULLET = re.compile(r"\A\s*[-*]\s+")
"""A note of one line gets one; it is no part of the text. Numbers, boxes to tick and plus signs are."""
_BEGINS = re.compile(r"\A\s*(?:[-*+]\s|\d+[.)]\s|#{1,6}(?:\s|$)|```|~~~)")


def find_duplicate(lines: Sequence[str], note: Sequence[str]) -> tuple[int, int] | None:
    """1-based first and last line of the passage in `lines` that says what the lines of `note` say.

    A passage is whole entries or paragraphs: a line that goes on in the next one says something else.
    """
    wanted = [key for key in map(line_key, note) if key]
    if not wanted:
        return None
    needle = max(wanted[0].split(), key=len)
    for index, folded in enumerate(_fold("\n".join(lines)).split("\n")):
        # Most lines of a long file are told apart by a look; only the rest is taken to pieces.
        if needle in folded and line_key(lines[index]) == wanted[0] and _begins(lines, index):
            last = _last_line(lines, index, wanted[1:])
            if last is not None and _ends(lines, last):
                return index + 1, last + 1
    return None


def _last_line(lines: Sequence[str], first: int, wanted: Sequence[str]) -> int | None:
    """Index of the line where the passage ends; None when what follows says something else."""
    last = first
    for key in wanted:
        last += 1
        while last < len(lines) and not lines[last].strip():
            last += 1
        if last == len(lines) or line_key(lines[last]) != key:
            return None
    return last


def _begins(lines: Sequence[str], index: int) -> bool:
    """Whether the line is the first of its entry or paragraph."""
    before = lines[index - 1] if index else ""
    return not before.strip() or bool(_BEGINS.match(lines[index])) or before.startswith("#")


def _ends(lines: Sequence[str], index: int) -> bool:
    following = index + 1
    # Annotations may have a line of their own; they are no text.
    while following < len(lines) and lines[following].strip() and not line_key(lines[following]):
        following += 1
    if following == len(lines) or not lines[following].strip():
        return True
    return bool(_BEGINS.match(lines[following])) and _indent(lines[following]) <= _indent(lines[index])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def line_key(line: str) -> str:
    """What a line says; empty for an empty line."""
    text = strip_annotations([line], curated=True)[0][0]
    return " ".join(_fold(_BULLET.sub("", text, count=1) if _BULLET.match(text) else text).split())


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
