"""What the fixed planner searches for besides the message itself: the things it names, and the time it means."""

from __future__ import annotations

import re
from datetime import date, timedelta

from search.documents.terms import fold

MAX_DAYS = 3
MAX_ENTITIES = 8
LONG_NUMBER = 4
"""A number of fewer digits names nothing by itself."""

_QUOTED = re.compile(r"[\"“„「『《«`]([^\"”“」』》»`]{2,60})[\"”“」』》»`]")
_IDENTIFIER = re.compile(r"(?<!\w)(?=[\w./:@×-]{0,100}\d)[\w][\w./:@×-]{0,200}[\w]|(?<!\w)[A-Za-z]\w*(?:[._/@-]\w+)+")
_NAME = re.compile(r"(?<!\w)[A-ZÀ-ÖØ-ÞА-ЯЁ][^\W\d_]+(?:\s+[A-ZÀ-ÖØ-ÞА-ЯЁ][^\W\d_]+)*")
_BEFORE_NAME = 40
"""Characters before a name that tell whether a sentence begins with it."""
_KATAKANA = re.compile(r"[ァ-ヺー]{3,}")
_LATIN_AMONG_CJK = re.compile(r"(?<=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])\s?([A-Za-z][\w-]+)")
_SENTENCE_START = re.compile(r"(?:\A|[.!?。！？])\s*+[\"“«¿¡]*+\Z")

_OPERATORS = re.compile(r"[\"“”„＂]|(?<!\S)-(?=\w)")

_ISO = re.compile(r"(?<!\d)(20\d\d)[-/.年]\s?(1[0-2]|0?[1-9])[-/.月]\s?(3[01]|[12]\d|0?[1-9])(?!\d)")
_MONTH_DAY = re.compile(r"(?<!\d)(1[0-2]|0?[1-9])\s?(?:月|월)\s?(3[01]|[12]\d|0?[1-9])\s?(?:日|号|號|일)?")
_AGO = re.compile(
    r"(?<!\d)(\d{1,3})\s?(?:days? ago|天前|日前|일 전|дн(?:я|ей|ь) назад)|hace\s+(\d{1,3})\s+d[ií]as?", re.IGNORECASE
)
_DAYS: tuple[tuple[int, re.Pattern[str]], ...] = (
    (0, re.compile(r"\btoday\b|\bthis (?:morning|afternoon)\b|今天|今日|오늘|\bhoy\b|сегодня", re.IGNORECASE)),
    (1, re.compile(r"\byesterday\b|\blast night\b|昨天|昨日|昨晚|어제|\bayer\b|вчера(?!ш)", re.IGNORECASE)),
    (2, re.compile(r"day before yesterday|前天|一昨日|그저께|\banteayer\b|позавчера", re.IGNORECASE)),
)


def plain_words(message: str) -> str:
    """The message without the signs by which a search knows required and excluded words: a chat means none of them."""
    return " ".join(_OPERATORS.sub(" ", message).split())


def entities(message: str) -> str:
    """Names, identifiers and quoted words of the message as a query; "" when that would only repeat it."""
    found: dict[str, None] = {}
    for match in _QUOTED.finditer(message):
        found[match[1].strip()] = None
    for match in _IDENTIFIER.finditer(message):
        if not match[0].isdigit() or len(match[0]) >= LONG_NUMBER:
            found[match[0]] = None
    for match in _NAME.finditer(message):
        # The first word of a sentence is capitalised whatever it is.
        rest = match[0].partition(" ")[2]
        name = (
            rest if _SENTENCE_START.search(message[max(0, match.start() - _BEFORE_NAME) : match.start()]) else match[0]
        )
        if len(name) > 1:
            found[name] = None
    for pattern in (_KATAKANA, _LATIN_AMONG_CJK):
        for match in pattern.finditer(message):
            found[match[match.lastindex or 0]] = None
    query = " ".join(name for name in list(found)[:MAX_ENTITIES] if name)
    return "" if len(fold(query)) >= 0.9 * len(fold(message).strip()) else query


def days(message: str, today: date) -> tuple[date, ...]:
    """The days that the message names, in any of the six languages; at most three."""
    found: dict[date, None] = {}
    for match in _ISO.finditer(message):
        _add(found, int(match[1]), int(match[2]), int(match[3]))
    rest = _ISO.sub(" ", message)
    for match in _MONTH_DAY.finditer(rest):
        # A day without a year is the last one that was not in the future.
        month, day = int(match[1]), int(match[2])
        later = (month, day) > (today.month, today.day)
        _add(found, today.year - later, month, day)
    for match in _AGO.finditer(rest):
        found[today - timedelta(days=int(match[1] or match[2]))] = None
    for back, pattern in reversed(_DAYS):
        if pattern.search(rest):
            found[today - timedelta(days=back)] = None
            if back == 2:
                break  # "the day before yesterday" is not also yesterday
    return tuple(found)[:MAX_DAYS]


def _add(found: dict[date, None], year: int, month: int, day: int) -> None:
    try:
        found[date(year, month, day)] = None
    except ValueError:
        return  # 31 February was not meant as a day
