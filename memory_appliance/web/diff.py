"""line_changes(): what would change between two texts, line by line, within bounds and with nothing invisible."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from django.utils.translation import gettext, ngettext

from search.documents.lines import split_lines

MOST_COMPARED = 1_500
"""Lines of either text between their common beginning and end: comparing takes their product in time."""
MOST_SHOWN = 400
LONGEST_LINE = 500
_AROUND = 3
_JOINERS = "\u200c\u200d"
_LAST_LATIN = "\u02ff"

Kind = Literal["same", "added", "removed", "gap"]


@dataclass(frozen=True, slots=True)
class Change:
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """`cut`: what the page says when not everything is shown."""

    lines: tuple[Change, ...]
    cut: str = ""


def line_changes(before: str, after: str) -> Changes:
    old, new = split_lines(before), split_lines(after)
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    lead = max(0, start - _AROUND)
    tail = max(0, end - _AROUND)
    old, new = old[lead : len(old) - tail], new[lead : len(new) - tail]
    cut = ""
    if max(len(old), len(new)) > MOST_COMPARED:
        cut = gettext("The texts differ in more than %(lines)s lines; only the first ones are compared.")
        cut %= {"lines": f"{MOST_COMPARED:,}"}
        old, new = old[:MOST_COMPARED], new[:MOST_COMPARED]
    lines = list(_lines(old, new))
    if len(lines) > MOST_SHOWN:
        left = len(lines) - MOST_SHOWN
        more = ngettext("%(lines)s more line is not shown.", "%(lines)s more lines are not shown.", left)
        cut = f"{more % {'lines': f'{left:,}'}} {cut}".strip()
    return Changes(tuple(lines[:MOST_SHOWN]), cut)


def visible(text: str) -> str:
    """`text` with signs that have no shape, or that turn the direction of others, written as their code points.

    What joins signs of other scripts than Latin stays between them: emoji and Persian are written with it.
    """
    if text.isprintable():
        return text
    return "".join(char if _has_shape(text, place) else f"⟨U+{ord(char):04X}⟩" for place, char in enumerate(text))


def _has_shape(text: str, place: int) -> bool:
    char = text[place]
    if char in _JOINERS:
        return 0 < place < len(text) - 1 and min(text[place - 1], text[place + 1]) > _LAST_LATIN
    return char == "\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines the two have in common from their beginning."""
    return next(
        (place for place, (left, right) in enumerate(zip(old, new, strict=False)) if left != right),
        min(len(old), len(new)),
    )


def _lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    for place, group in enumerate(SequenceMatcher(None, old, new).get_grouped_opcodes(_AROUND)):
        if place:
            yield Change("gap", "…")
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from (Change("same", _shown(line)) for line in old[old_from:old_to])
            else:
                yield from (Change("removed", _shown(line)) for line in old[old_from:old_to])
                yield from (Change("added", _shown(line)) for line in new[new_from:new_to])


def _shown(line: str) -> str:
    left = len(line) - LONGEST_LINE
    shown = visible(line[:LONGEST_LINE].rstrip("\r\n"))
    if left <= 0:
        return shown
    more = ngettext("(%(characters)s more character)", "(%(characters)s more characters)", left)
    return f"{shown} … {more % {'characters': f'{left:,}'}}"
