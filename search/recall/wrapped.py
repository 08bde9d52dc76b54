"""goes_on(): whether a sentence that was broken at the end of one line goes on in the next."""

from __future__ import annotations

import re

WRAPPED_AT = 55
"""Bytes of a line that may have been wrapped; shorter ones end where they were meant to."""

_SENTENCE_END = re.compile(r"[.!?。！？；:：]\W*$")
_FIRST_END = re.compile(r"[.!?](?=\W{0,20}(?:\s|$))|[。！？；]")
_ENTRY = re.compile(r"\A\s*(?:[-*+>|#]|\d+[.)]\s|```|~~~)")


def goes_on(line: str, after: str) -> bool:
    if len(line.encode("utf-8", "replace")) < WRAPPED_AT or not after.strip():
        return False
    return not (_SENTENCE_END.search(line) or line.lstrip().startswith(("|", "#")) or _ENTRY.match(after))


def rest_of_sentence(line: str) -> str:
    """The beginning of `line` up to the end of its first sentence."""
    end = _FIRST_END.search(line)
    return line[: end.end()] if end else line
