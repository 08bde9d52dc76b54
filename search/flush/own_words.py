"""own_words(): what the speaker says, without what is only quoted, fenced or passed on."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

SHORT_QUOTE = 14
"""A name or a title in quotation marks is the speaker's own word; a sentence is somebody else's."""

# Every pattern here takes time in proportion to the text: a quotation holds no mark that opens one of its kind.
_FENCED = re.compile(r"```.*?(?:```|\Z)|^[ \t]*+>[^\n]*", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>\w{1,40})\b[^<>]{0,400}>")
_QUOTED = re.compile(
    r'"([^"\n]{1,2000})"|“([^“”]{1,2000}+)”|„([^„“”]{1,2000}+)[“”]|«([^«»]{1,2000}+)»|「([^「」]{1,2000}+)」'
    r"|『([^『』]{1,2000}+)』|(?<!\w)'([^'\n]{1,2000}+)'(?!\w)|‘([^‘’\n]{1,2000}+)’",
)
_OPENS = re.compile('["“「『«„]')
_CLOSES = '"”」』»“'
_OPEN_QUOTE = 15
"""Characters after a mark that opens a quotation and is never closed, from which on it is one."""
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class OwnWords:
    """`quoted` is how many characters of somebody else's text were taken out."""

    text: str
    quoted: int


def own_words(text: str) -> OwnWords:
    quoted = 0

    def drop(match: re.Match[str]) -> str:
        nonlocal quoted
        quoted += len(match[0])
        return " "

    def drop_long(match: re.Match[str]) -> str:
        inside = next(group for group in match.groups() if group is not None)
        return match[0] if weight(inside) <= SHORT_QUOTE else drop(match)

    text = _FENCED.sub(drop, text)
    text, tagged = _without_tagged(text)
    text = _QUOTED.sub(drop_long, text)
    last = max(text.rfind(mark) for mark in _CLOSES)
    opened = _OPENS.search(text, max(0, last))
    if opened and len(text) - opened.end() >= _OPEN_QUOTE:
        quoted += len(text) - opened.start()
        text = f"{text[: opened.start()]} "
    return OwnWords(text.strip(), quoted + tagged)


def _without_tagged(text: str) -> tuple[str, int]:
    """`text` without what stands between a tag and the next one that closes it, and how many characters went."""
    tags = list(_TAG.finditer(text))
    closing: dict[str, deque[int]] = {}
    for tag in tags:
        if tag["end"]:
            closing.setdefault(tag["name"], deque()).append(tag.end())
    kept, done = [], 0
    for tag in tags:
        ends = closing.get(tag["name"], deque())
        while ends and ends[0] <= tag.end():
            ends.popleft()
        if not tag["end"] and ends and tag.start() >= done:
            kept.append(text[done : tag.start()])
            done = ends[0]
    kept.append(text[done:])
    remaining = " ".join(kept)
    return remaining, len(text) - sum(map(len, kept))


def weight(text: str) -> int:
    """Length by what it says: a character of Chinese, Japanese or Korean counts as two letters."""
    return len(text) + len(_CJK.findall(text))
