"""split_passages(): a chunk as the small pieces that are embedded one by one.

A chunk of 400 tokens about a whole day has one vector that is near to nothing in particular. Its lines and sentences
have vectors of their own; a chunk is as near to a query as its nearest passage (docs/ranking.md has the figures).
"""

from __future__ import annotations

import re

from search.documents.text import safe_cut

PASSAGES_VERSION = 1
"""Part of the embedding's identity: other pieces are other vectors."""

TARGET_BYTES = 220
"""UTF-8 bytes per passage, about 50 tokens: short lines are joined up to it, longer ones are cut at sentence ends."""

_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?;])\s+")
HEADING = re.compile(r"\s{0,3}#{1,6}(\s|$)")
_WORD = re.compile(r"\w")
_ASCII = "".join(map(chr, range(128)))


def split_passages(text: str) -> list[str]:
    """Pieces of `text` in order, none without a word; the whole text when it is short or has no words.

    A heading goes with the line after it. Cut again, a text gives the same pieces.
    """
    if _size(text) <= TARGET_BYTES:
        return [text.strip()]
    pieces: list[str] = []
    current = ""
    for line in text.split("\n"):
        if not line.strip():
            continue
        for part in _parts(line):
            joined = f"{current}\n{part}" if current else part
            only_heading = "\n" not in current and HEADING.match(current)
            if current and _size(joined) > TARGET_BYTES and not only_heading:
                pieces.append(current)
                joined = part
            current = joined
    pieces.append(current)
    return [piece for piece in pieces if _WORD.search(piece)] or [text.strip()]


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _parts(line: str) -> list[str]:
    """A line as it is, or its sentences when it is long, or slices when a sentence is."""
    if _size(line) <= TARGET_BYTES * 3 // 2:
        return [line]
    parts: list[str] = []
    for sentence in _SENTENCE_END.split(line):
        at, plain_from = 0, len(sentence.rstrip(_ASCII))
        # Slices, never the rest: a line of a megabyte would be copied for each of its pieces.
        while _size(sentence[at : at + TARGET_BYTES * 2 + 1]) > TARGET_BYTES * 2:
            room = TARGET_BYTES if at >= plain_from else TARGET_BYTES // 3
            piece = sentence[at : at + room + 1]
            space = piece.rfind(" ", room // 2, room)
            end = space if space > 0 else safe_cut(piece, room)
            parts.append(piece[:end])
            at += end
            while sentence.startswith(" ", at):
                at += 1
        if at < len(sentence):
            parts.append(sentence[at:])
    return parts
