"""surface(): what a text shows without a model: its cues, numbers, length, and what is quoted in it."""

from __future__ import annotations

import re

import numpy as np

from search.flush.language import CUES, cues_of
from search.flush.own_words import weight
from search.recall.intent.features import BUCKETS, Numbers, grams

LEAST_WEIGHT = 10
SHORT_OWN = 0.5
"""A message with more of somebody else's text than this share of its own is mostly passed on."""

_FOR = {"decision": 1.2, "fact": 1.0, "preference": 1.0, "task": 1.0, "keep": 0.7}
_AGAINST = {"hypothetical": 2.5, "joke": 2.0, "uncertain": 1.8, "other": 2.2, "secret": 1.5, "forwarded": 2.0}
_NUMBER, _QUESTION, _QUOTING, _SHORT = 0.7, 1.5, 2.0, 1.0
_LOWEST, _HIGHEST = -4.0, 3.0

DIGITS = re.compile(
    r"\d|[一二三四五六七八九十百千两]{1,12}(?:月|日|号|點|点|时|時|分|元|块|万|千|百|个|天|周|星期|年|站|层|楼|岁|斤|公斤|キロ|円|人|本|日間|か月|割)"
    r"|(?:周|星期|礼拜)[一二三四五六日末天]|[月火水木金土日]曜"
)
_QUESTION_END = re.compile(r"[?？]\s*\Z|(?:吗|么|呢|啊？|か|かな|까|니|나요)[。.!！~〜\s]*\Z")
_MARKS = len(CUES) + 7
SURFACE = _MARKS + BUCKETS
_MARK_SCALE, _GRAM_SCALE = 1.0, 10.0
"""How far each kind of number may move the sum under the same regularisation."""


def surface(text: str, *, quoted: int) -> Numbers:
    """`quoted` is how many characters of somebody else's text stood around it."""
    cues = cues_of(text)
    shapes = _shapes(text, quoted)
    numbers = np.zeros(SURFACE, dtype=np.float32)
    numbers[:_MARKS] = [*(cue in cues for cue in CUES), *shapes, _rule_of_thumb(cues, shapes)]
    numbers[:_MARKS] *= _MARK_SCALE
    buckets = list(grams(text.lower()))
    numbers[[_MARKS + bucket for bucket in buckets]] = _GRAM_SCALE / max(len(buckets), 1) ** 0.5
    return numbers


def thumb(text: str, quoted: int) -> float:
    """Cues for and against, weighed by hand; about 0.6 is where a note begins."""
    return _rule_of_thumb(cues_of(text), _shapes(text, quoted))


def _shapes(text: str, quoted: int) -> tuple[bool, ...]:
    length = weight(text)
    return (
        bool(DIGITS.search(text)),
        bool(_QUESTION_END.search(text)),
        quoted > SHORT_OWN * length,
        length < LEAST_WEIGHT,
        length < 24,
        length > 60,
    )


def _rule_of_thumb(cues: frozenset[str], shapes: tuple[bool, ...]) -> float:
    digits, question, quoting, short, *_ = shapes
    score = sum(_FOR[cue] for cue in cues & _FOR.keys()) - sum(_AGAINST[cue] for cue in cues & _AGAINST.keys())
    score += _NUMBER * digits - _QUESTION * question - _QUOTING * quoting - _SHORT * short
    return max(_LOWEST, min(_HIGHEST, score))
