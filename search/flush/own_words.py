"""own_words(): what the speaker says, without what is only quoted, fenced or passed on."""

from __future__ import annotations

import re
from dataclasses import dataclass

SHORT_QUOTE = 14
"""A name or a title in quotation marks is the speaker's own word; a sentence is somebody else's."""

_FENCED = re.compile(r"```.*?(?:```|\Z)|^\s*>.*$|<(\w+)\b[^>]*>.*?</\1>", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(
    r'"([^"\n]{1,2000})"|“([^”]{1,2000})”|„([^“”]{1,2000})[“”]|«([^»]{1,2000})»|「([^」]{1,2000})」|『([^』]{1,2000})』'
    r"|(?<!\w)'([^'\n]{1,2000})'(?!\w)|‘([^’\n]{1,2000})’",
)
_OPEN_QUOTE = re.compile(r'["“「『«„][^"”」』»“]{15,}\Z', re.DOTALL)
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
    text = _QUOTED.sub(drop_long, text)
    text = _OPEN_QUOTE.sub(drop, text)
    return OwnWords(text.strip(), quoted)


def weight(text: str) -> int:
    """Length by what it says: a character of Chinese, Japanese or Korean counts as two letters."""
    return len(text) + len(_CJK.findall(text))
