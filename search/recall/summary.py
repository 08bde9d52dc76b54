"""extract(): a summary made of the sources' own sentences, word for word, within the limit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from search.marks import one_line
from search.recall.evidence import Evidence, Line, Passage
from search.recall.outcome import Note, Source
from search.recall.query import cut
from search.recall.wrapped import goes_on

SHARE_OF_BEST = 0.75
"""A further sentence joins the first when it is at least this relevant in comparison."""
SHARE_OF_LINE = 0.5
"""A line of a passage is kept when it has at least this much of what its best line has."""
LEAST_COVERAGE = 0.1
BETWEEN = "; "
_ENDS = tuple(".!?。！？；;…")
LEAST_ROOM = 40
"""Characters that must be left for a further sentence to be worth starting."""

_MARKUP = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+)")
_HEADING = re.compile(r"\s{0,3}#{1,6}(\s|$)")


def extract(evidence: Sequence[Evidence], limit: int) -> tuple[Note, ...]:
    """The best sentences of what was found, best first, together at most `limit` characters.

    The first is cut when it alone is too long; others only come in whole.
    """
    ranked = sorted((passage for one in evidence for passage in one.passages), key=lambda passage: -passage.score)
    notes: list[Note] = []
    left = limit
    for passage in ranked:
        if notes and (left < LEAST_ROOM or passage.score < SHARE_OF_BEST * ranked[0].score):
            break
        lines = telling(passage)
        text = plain([line.text for line in lines])
        if not text or any(text in note.text or note.text in text for note in notes):
            continue
        if not notes:
            text = cut(text, limit, mark="…")
        elif len(text) > left:
            continue
        notes.append(Note(text, Source(passage.path, lines[0].number, lines[-1].number, passage.pages)))
        left -= len(text) + len(BETWEEN)
    return tuple(notes)


def joined(notes: Sequence[Note]) -> str:
    """The notes as one text, each told apart from the next."""
    text = ""
    for note in notes:
        between = " " if text.endswith(_ENDS) else BETWEEN
        text = f"{text}{between}{note.text}" if text else note.text
    return text


def telling(passage: Passage) -> list[Line]:
    """The lines that have the query's words, with a heading above them; all lines where the words do not tell."""
    most = max(line.coverage for line in passage.lines)
    if most < LEAST_COVERAGE:
        return list(passage.lines)
    chosen = [
        place
        for place, line in enumerate(passage.lines)
        if line.coverage >= SHARE_OF_LINE * most and not _HEADING.match(line.text)
    ]
    if not chosen:
        return list(passage.lines)
    texts = [*(line.text for line in passage.lines), ""]
    chosen = sorted({*chosen, *(place + 1 for place in chosen if goes_on(texts[place], texts[place + 1]))})
    head = [passage.lines[0]] if chosen[0] > 0 and _HEADING.match(passage.lines[0].text) else []
    return head + [passage.lines[place] for place in chosen]


def plain(lines: Sequence[str]) -> str:
    """Lines as one, without list marks; a heading becomes the words before a colon."""
    lines = [line for line in lines if line.strip()]
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
