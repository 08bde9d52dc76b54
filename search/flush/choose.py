"""choose(): which of the user's words hold a decision, a fact, a preference, an open task, or what is so only for now.

A trained head (head.py) judges each message and, where there are several, each of its sentences. How they stand
weighs as well: the assistant's answer ("noted", "I leave that out") and what the user says next ("just kidding").
What stands only inside a quotation, is said in a game or a story, or holds a secret is never taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from search.documents.secrets import MASK, mask_secrets
from search.documents.transcripts import Turn, one_line, spoken
from search.flush.head import KINDS, Verdict, load_head
from search.flush.language import cues_of
from search.flush.own_words import own_words, weight
from search.flush.surface import DIGITS, LEAST_WEIGHT, surface, thumb
from search.runtime.protocols import Vectors

Kind = Literal["decision", "fact", "preference", "task", "state"]

THRESHOLD = 0.5
"""Least log-odds of a text that is worth a note: precision .889 at recall .687 on the chats of `dev.txt` by
heads that had not seen any dialogue of the same day."""
STATE_THRESHOLD, STATE_LEAN = -1.0, 1.0
"""Least log-odds of what is so only for now, and how far below those of a note they may be: chosen in the same way."""
MESSAGE_CHARS = 20_000
"""Of a message, so much from its beginning is judged: what is longer was pasted."""
LONGEST = 400
"""Characters of a note; a longer message is shortened to its first sentences that say something."""
PLAY_MESSAGES = 8
"""A game without an end is over after so many of the user's messages."""

_KEPT, _REFUSED, _RETRACTED = 2.0, 4.0, 4.0
_MEANING = 2.0
_THUMB, _THUMB_ALONE, _NEUTRAL, _STATE_ALONE = 1.0, 1.5, 0.6, -0.5
_CUED = {"decision": 2.0, "fact": 0.7, "preference": 1.0, "task": 1.0}
_CHATTER = 2.5
"""A sentence so far below the bar is left out of a message that is kept."""

_SENTENCE = re.compile(r"(?<=[。！？；\n])\s*|(?<=[!?])\s+|(?<=[^\d\s]{2}\.)\s+|(?<=;)\s+")
_CLAUSE = re.compile(r"[,，、。.!！?？;；\n]")
"""A message takes back the one before it with its first clause; later ones are about itself."""
_LAUGH = re.compile(
    r"^(?:哈+|呵+|嘿+|嗯+|哎+|对|ha(?:ha)*|lol|ok(?:ay)?|yeah|right|so|ja(?:ja)*|笑|ㅋ+|ㅎ+|ха(?:ха)*|うん|はは)"
    r"[\s,，。.!！~、]+",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\d[\d -]{1,30}\d|(?<![^\W\d_])[^\W\d_]++[-_]?\d|\d[^\W\d_]")
"""What a secret may look like beside a word such as "code"."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A note: what kind it is, its text in the speaker's words, and the message that it is from."""

    kind: Kind
    text: str
    index: int
    score: float


@dataclass(frozen=True, slots=True)
class Unit:
    """What is judged by itself: a message's own words, or one of its sentences. `quoted`: characters of others'."""

    text: str
    quoted: int


def units_of(turn: Turn) -> list[Unit]:
    """The whole message, then its sentences when there are several; nothing when it holds no words of its own."""
    own = own_words(spoken(turn)[:MESSAGE_CHARS])
    text = _LAUGH.sub("", own.text)
    if not text:
        return []
    sentences = [clean for part in _SENTENCE.split(text) if (clean := _LAUGH.sub("", one_line(part)))]
    whole = Unit(text, own.quoted)
    return [whole, *(Unit(sentence, 0) for sentence in sentences)] if len(sentences) > 1 else [whole]


def texts_to_embed(turns: Sequence[Turn], skip: frozenset[int]) -> list[str]:
    """What choose() wants vectors of, each once."""
    units = (unit for place, turn in enumerate(turns) if _is_heard(turn, place, skip) for unit in units_of(turn))
    return list(dict.fromkeys(unit.text for unit in units))


def choose(
    turns: Sequence[Turn],
    *,
    skip: frozenset[int] = frozenset(),
    vectors: Mapping[str, Vectors] | None = None,
    meanings: Sequence[float] | None = None,
) -> list[Choice]:
    """The notes of a conversation in its order. `skip` are messages that only stand around the others.

    `vectors` are those of the bundled model, by text. `meanings`, from any other model, has a number per message,
    above 0 where it is nearer to what is worth a note.
    """
    said = [spoken(turn)[:MESSAGE_CHARS] for turn in turns]
    found: list[Choice] = []
    playing = 0
    for index, turn in enumerate(turns):
        if not _is_heard(turn, index, skip) or not (units := units_of(turn)):
            continue
        judged = [(unit, _judge(unit, vectors)) for unit in units]
        playing = _playing(playing - 1, said[index], judged[0][1])
        if playing > 0:
            continue
        shift = _answered(turns, said, index) + (_MEANING * meanings[index] if meanings is not None else 0.0)
        judged = [(unit, _shifted(verdict, shift)) for unit, verdict in judged if not _is_secret(unit.text)]
        found += _choices(judged, index)
    return found


def _is_heard(turn: Turn, place: int, skip: frozenset[int]) -> bool:
    return turn.role == "user" and place not in skip


def _judge(unit: Unit, vectors: Mapping[str, Vectors] | None) -> Verdict:
    """The head's verdict, drawn towards the rule of thumb: more so where there is no vector."""
    vector = vectors.get(unit.text) if vectors else None
    verdict = load_head().judge(surface(unit.text, quoted=unit.quoted), vector)
    cues = cues_of(unit.text)
    kinds = tuple(odds + _CUED.get(kind, 0.0) * (kind in cues) for kind, odds in zip(KINDS, verdict.kinds, strict=True))
    by_thumb, trust = thumb(unit.text, unit.quoted), _THUMB_ALONE if vector is None else _THUMB
    keep, state = verdict.keep + trust * (by_thumb - _NEUTRAL), verdict.state + trust * min(0.0, by_thumb)
    state += _STATE_ALONE * (vector is None)
    return replace(verdict, keep=keep, state=state, kinds=kinds)


def _shifted(verdict: Verdict, shift: float) -> Verdict:
    return replace(verdict, keep=verdict.keep + shift, state=verdict.state + min(0.0, shift))


def _playing(left: int, text: str, verdict: Verdict) -> int:
    """How many of the user's messages, this one included, belong to a game or a story; one begins with a cue for it."""
    cues = cues_of(text)
    if "play" in cues or verdict.play > 0:
        return PLAY_MESSAGES
    return 0 if cues & {"play_end", "keep"} else left


def _choices(judged: list[tuple[Unit, Verdict]], index: int) -> Iterable[Choice]:
    """A message as one note, or as several where its sentences are of several kinds."""
    if not judged:
        return
    best = max(verdict.keep for _, verdict in judged)
    if len(judged) == 1 or not any(_kind_of(verdict) for _, verdict in judged[1:]):
        unit, verdict = judged[0]
        kind = _kind_of(verdict)
        if kind and (text := _note([unit.text])):
            yield Choice(kind, text, index, round(best, 3))
        return
    # Lasting and passing sentences are two notes; of the lasting ones the surest says which kind the note is.
    said: dict[bool, list[str]] = {True: [], False: []}
    waiting: list[str] = []
    last: bool | None = None
    for unit, verdict in judged[1:]:
        if kind := _kind_of(verdict):
            last = kind != "state"
            said[last] += [*waiting, unit.text]
            waiting = []
        elif verdict.keep > THRESHOLD - _CHATTER and weight(unit.text) >= LEAST_WEIGHT:
            (waiting if last is None else said[last]).append(unit.text)
    surest = max((verdict for _, verdict in judged[1:] if _kind_of(verdict) not in (None, "state")), default=None,
                 key=lambda verdict: verdict.keep)  # fmt: skip
    for lasting in (True, False):
        kind = "state" if not lasting else _kind_of(surest) if surest else None
        if kind and (text := _note(said[lasting])):
            yield Choice(kind, text, index, round(best, 3))


def _kind_of(verdict: Verdict) -> Kind | None:
    if verdict.state >= STATE_THRESHOLD and verdict.state + STATE_LEAN > verdict.keep:
        return "state"
    likeliest = KINDS[max(range(len(KINDS)), key=verdict.kinds.__getitem__)]
    return cast(Kind, likeliest) if verdict.keep >= THRESHOLD else None


def _is_secret(text: str) -> bool:
    """Whether it names a secret beside something that may be one; where the mask finds it, the rest may be a note."""
    if "secret" not in cues_of(text):
        return False
    masked = mask_secrets(text)
    rest = masked.replace(MASK, "")
    return bool(_VALUE.search(rest)) if masked == text else weight(rest) < 5 * LEAST_WEIGHT


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


def _note(sentences: Sequence[str]) -> str:
    """The sentences that say something, on one line."""
    kept: list[str] = []
    for sentence in (part for text in sentences for part in _SENTENCE.split(text)):
        clean = _LAUGH.sub("", one_line(sentence))
        if weight(clean) < LEAST_WEIGHT and not DIGITS.search(clean) and len(sentences) > 1:
            continue
        if kept and sum(map(len, kept)) + len(clean) > LONGEST:
            break
        kept.append(clean[:LONGEST])
    return " ".join(part for part in kept if part)
