"""choose(): which messages hold a decision, a fact, a preference or an open task, by what they are and how they stand.

Cues speak for and against; so do a number or a date, the assistant's answer ("noted", "I leave that out") and what the
user says next ("just kidding"). What stands only inside a quotation is nobody's word. With an embedder the nearness to
sentences of both sorts in six languages is weighed as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from search.documents.transcripts import Turn, one_line, spoken
from search.flush.language import cues_of
from search.flush.own_words import own_words, weight

Kind = Literal["decision", "fact", "preference", "task"]

THRESHOLD = 0.6
LONGEST = 400
"""Characters of a note; a longer message is shortened to its first sentences that say something."""
LEAST_WEIGHT = 10

_FOR = {"decision": 1.2, "fact": 1.0, "preference": 1.0, "task": 1.0, "keep": 0.7}
_AGAINST = {"hypothetical": 2.5, "joke": 2.0, "uncertain": 1.8, "other": 2.2, "secret": 1.5, "forwarded": 2.0}
_NUMBER, _KEPT, _REFUSED, _RETRACTED, _QUESTION, _QUOTING, _SHORT = 0.7, 0.7, 2.5, 2.5, 1.5, 2.0, 1.0
_MEANING = 2.0
SHORT_OWN = 0.5
"""A message with more of somebody else's text than this share of its own is mostly passed on."""

_DIGITS = re.compile(
    r"\d|[一二三四五六七八九十百千两]+(?:月|日|号|點|点|时|時|分|元|块|万|千|百|个|天|周|星期|年|站|层|楼|岁|斤|公斤|キロ|円|人|本|日間|か月|割)"
    r"|(?:周|星期|礼拜)[一二三四五六日末天]|[月火水木金土日]曜"
)
_QUESTION_END = re.compile(r"[?？]\s*\Z|(?:吗|么|呢|啊？|か|かな|까|니|나요)[。.!！~〜\s]*\Z")
_SENTENCE = re.compile(r"(?<=[。！？；\n])\s*|(?<=[!?])\s+|(?<=[^\d\s]{2}\.)\s+|(?<=;)\s+")
_CLAUSE = re.compile(r"[,，、。.!！?？;；\n]")
"""A message takes back the one before it with its first clause; later ones are about itself."""
_LAUGH = re.compile(
    r"^(?:哈+|呵+|嘿+|嗯+|哎+|对|ha(?:ha)*|lol|ok(?:ay)?|yeah|right|so|ja(?:ja)*|笑|ㅋ+|ㅎ+|ха(?:ха)*|うん|はは)"
    r"[\s,，。.!！~、]+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A note: what kind it is, its text in the speaker's words, and the message that it is from."""

    kind: Kind
    text: str
    index: int
    score: float


def choose(
    turns: Sequence[Turn], *, skip: frozenset[int] = frozenset(), meanings: Sequence[float] | None = None
) -> list[Choice]:
    """The notes of a conversation in its order. `skip` are messages that only stand around the others.

    `meanings` has a number per message, above 0 where it is nearer to what is worth a note.
    """
    said = [spoken(turn) for turn in turns]
    found = []
    for index, turn in enumerate(turns):
        if turn.role != "user" or index in skip or not said[index]:
            continue
        own = own_words(said[index])
        text = _LAUGH.sub("", own.text)
        cues = cues_of(text)
        score = _score(text, cues, quoted=own.quoted)
        score += _answered(turns, said, index)
        if meanings is not None:
            score += _MEANING * meanings[index]
        if score >= THRESHOLD and (note := _note(text)):
            found.append(Choice(_kind(cues), note, index, round(score, 3)))
    return found


def _score(text: str, cues: frozenset[str], *, quoted: int) -> float:
    score = sum(_FOR[cue] for cue in cues & _FOR.keys()) - sum(_AGAINST[cue] for cue in cues & _AGAINST.keys())
    if _DIGITS.search(text):
        score += _NUMBER
    if _QUESTION_END.search(text):
        score -= _QUESTION
    if quoted > SHORT_OWN * weight(text):
        score -= _QUOTING
    if weight(text) < LEAST_WEIGHT:
        score -= _SHORT
    return score


def _answered(turns: Sequence[Turn], said: Sequence[str], index: int) -> float:
    """What the assistant's answer and the user's next words say of a message."""
    score = 0.0
    following = [place for place in range(index + 1, min(len(turns), index + 4)) if said[place]]
    if following and turns[following[0]].role == "assistant":
        answer = cues_of(said[following[0]])
        if "refused" in answer:
            score -= _REFUSED
        elif "kept" in answer:
            score += _KEPT
        following = following[1:]
    if following and _takes_back(turns[following[0]].role, said[following[0]]):
        score -= _RETRACTED
    return score


def _takes_back(role: str, text: str) -> bool:
    return role == "user" and weight(text) < 60 and "retract" in cues_of(_CLAUSE.split(text, maxsplit=1)[0])


def _kind(cues: frozenset[str]) -> Kind:
    if "task" in cues and not cues & {"decision", "preference"}:
        return "task"
    if "decision" in cues:
        return "decision"
    return "preference" if "preference" in cues else "fact"


def _note(text: str) -> str:
    """The sentences that say something, on one line."""
    kept: list[str] = []
    for sentence in _SENTENCE.split(text):
        clean = _LAUGH.sub("", one_line(sentence))
        if weight(clean) < LEAST_WEIGHT and not _DIGITS.search(clean):
            continue
        if kept and sum(map(len, kept)) + len(clean) > LONGEST:
            break
        kept.append(clean[:LONGEST])
    return " ".join(kept)
