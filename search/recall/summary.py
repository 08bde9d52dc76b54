"""extract(): a summary made of the sources' own sentences, word for word, within the limit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from search.recall.block import one_line
from search.recall.evidence import Evidence
from search.recall.outcome import Note
from search.recall.query import cut

SHARE_OF_BEST = 0.75
"""A further sentence joins the first when it is at least this relevant in comparison."""
LEAST_ROOM = 40
"""Characters that must be left for a further sentence to be worth starting."""

_MARKUP = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+)")
_HEADING = re.compile(r"\s{0,3}#{1,6}(\s|$)")


def extract(evidence: Sequence[Evidence], limit: int) -> tuple[Note, ...]:
    """The best sentences of what was found, best first, together at most `limit` characters (with one space between).

    The first is cut when it alone is too long; others only come in whole.
    """
    ranked = sorted((passage for one in evidence for passage in one.passages), key=lambda passage: -passage.score)
    notes: list[Note] = []
    left = limit
    for passage in ranked:
        if notes and (left < LEAST_ROOM or passage.score < SHARE_OF_BEST * ranked[0].score):
            break
        text = plain(passage.text)
        if not text or any(text in note.text or note.text in text for note in notes):
            continue
        if not notes:
            text = cut(text, limit, mark="…")
        elif len(text) + 1 > left:
            continue
        notes.append(Note(text, passage.source))
        left -= len(text) + 1
    return tuple(notes)


def plain(text: str) -> str:
    """Lines as one, without list marks; a heading becomes the words before a colon."""
    lines = [line for line in text.split("\n") if line.strip()]
    spoken = []
    for place, line in enumerate(lines):
        bare = one_line(_MARKUP.sub("", line))
        if _HEADING.match(line):
            if place < len(lines) - 1:
                spoken.append(f"{bare}:")
            elif len(lines) == 1:
                spoken.append(bare)
        elif bare:
            spoken.append(bare)
    return " ".join(spoken)
