"""pick(): the notes of a conversation: by a generator where one was chosen, by cues and meaning, or as an excerpt."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agents.core.paths import local_dir
from agents.models import Agent
from agents.providers.plans import agent_plan
from agents.providers.role_models import embedder_for, generator_for
from search.documents.secrets import mask_secrets
from search.documents.transcripts import Turn, one_line, spoken
from search.errors import EmbedderUnavailable, GeneratorUnavailable
from search.flush import Choice, Meaning, choose, texts_to_embed
from search.flush.choose import MESSAGE_CHARS
from search.flush.generate import Nonsense, generate
from search.flush.head import load_head
from search.flush.own_words import own_words
from search.runtime.protocols import Vectors
from search.runtime.providers.choice import NONE
from search.sentences import sentence, together

logger = logging.getLogger(__name__)

WRITING_SECONDS = 0.5
"""Kept back of the deadline for writing the notes down."""
LEAST_SECONDS = 0.05
EXCERPT_TURNS = 20
EXCERPT_CHARS = 600
EMBEDDED_AT_ONCE = 100
MOST_CHARS = 200_000
"""Of the user's words, the latest so many are judged: about two seconds of a core. The transcript has all of them."""
MEANT_CHARS = 600
"""Of a message, what its meaning is judged by."""

Method = Literal["generated", "extractive", "excerpt"]


@dataclass(frozen=True, slots=True)
class Picked:
    """`reason` says why it was not done as it should have been. Texts hold no secrets."""

    method: Method
    choices: tuple[Choice, ...]
    reason: str = ""


def pick(agent: Agent, turns: Sequence[Turn], *, skip: frozenset[int], end: float) -> Picked:
    """`end` is on the monotonic clock."""
    if _left(end) < LEAST_SECONDS:
        return _excerpt(turns, skip, sentence("the deadline left no time to choose"))
    if agent_plan("generate", agent).first.provider != NONE:
        try:
            generator = generator_for(agent)
            if generator is not None:
                chosen = generate(generator, turns, skip=skip, timeout=_left(end))
                return Picked("generated", _masked(chosen))
        except (GeneratorUnavailable, Nonsense) as error:
            logger.info("a flush of %s goes on without its generator: %s", agent.slug, error)
            return _excerpt(turns, skip, sentence("the generator gave no notes: {error}", error=error))
    skip, reason = _latest(turns, skip)
    vectors = _vectors(agent, turns, skip, end)
    meanings = None if vectors is not None else _meanings(agent, turns, skip, end)
    return Picked("extractive", _masked(choose(turns, skip=skip, vectors=vectors, meanings=meanings)), reason)


def _latest(turns: Sequence[Turn], skip: frozenset[int]) -> tuple[frozenset[int], str]:
    """`skip` with the messages before the latest `MOST_CHARS`, and in words what is not judged for its length."""
    chars, older, cut = 0, set(), 0
    for place in reversed(range(len(turns))):
        if turns[place].role != "user" or place in skip:
            continue
        size = len(turns[place].text)
        chars += min(size, MESSAGE_CHARS)
        if chars > MOST_CHARS:
            older.add(place)
        elif size > MESSAGE_CHARS:
            cut += 1
    told = [
        sentence(
            "{count} earlier messages, beyond the last {most_chars} characters", count=len(older), most_chars=MOST_CHARS
        )
        if older
        else "",
        sentence(
            "what follows the first {message_chars} characters of {cut} messages", message_chars=MESSAGE_CHARS, cut=cut
        )
        if cut
        else "",
    ]
    left_out = together([part for part in told if part])
    reason = sentence("not read for notes, for their length: {left_out}", left_out=left_out) if left_out else ""
    return skip | older, reason


def _vectors(agent: Agent, turns: Sequence[Turn], skip: frozenset[int], end: float) -> dict[str, Vectors] | None:
    """Of the texts to judge, from the model that the head was trained with; None when that one does not answer."""
    embedder = embedder_for(agent)
    texts = [text for text in texts_to_embed(turns, skip) if text]
    if embedder is None or not texts or _left(end) < LEAST_SECONDS:
        return None
    try:
        if embedder.identity().model != load_head().made_from["model"]:
            return None
        found: dict[str, Vectors] = {}
        for start in range(0, len(texts), EMBEDDED_AT_ONCE):
            part = texts[start : start + EMBEDDED_AT_ONCE]
            answer = embedder.embed_documents([text[:MEANT_CHARS] for text in part], timeout=_left(end))
            found |= dict(zip(part, answer, strict=True))
    except EmbedderUnavailable as error:
        logger.info("a flush of %s goes by cues alone: %s", agent.slug, error.message)
        return None
    return found


def _meanings(agent: Agent, turns: Sequence[Turn], skip: frozenset[int], end: float) -> list[float] | None:
    """Of the user's messages, by prototypes, for a model that the head does not know; None when it does not answer."""
    embedder = embedder_for(agent)
    places = [place for place, turn in enumerate(turns) if turn.role == "user" and place not in skip and spoken(turn)]
    if embedder is None or not places or _left(end) < LEAST_SECONDS:
        return None
    texts = [own_words(spoken(turns[place])[:MESSAGE_CHARS]).text[:MEANT_CHARS] or "…" for place in places]
    try:
        found = Meaning(embedder, local_dir() / "models" / "prototypes").of(texts, timeout=_left(end))
    except EmbedderUnavailable as error:
        logger.info("a flush of %s goes by cues alone: %s", agent.slug, error.message)
        return None
    meanings = [0.0] * len(turns)
    for place, value in zip(places, found, strict=True):
        meanings[place] = value
    return meanings


def _excerpt(turns: Sequence[Turn], skip: frozenset[int], reason: str) -> Picked:
    """The last turns as they were said: less than notes, and never nothing."""
    places = [place for place, turn in enumerate(turns) if place not in skip and spoken(turn)][-EXCERPT_TURNS:]
    choices = [
        Choice("fact", f"{turns[place].role}: {one_line(spoken(turns[place]))[:EXCERPT_CHARS]}", place, 0.0)
        for place in places
    ]
    return Picked("excerpt", _masked(choices), reason)


def _masked(choices: Sequence[Choice]) -> tuple[Choice, ...]:
    return tuple(replace(choice, text=mask_secrets(choice.text)) for choice in choices)


def _left(end: float) -> float:
    return max(0.0, end - WRITING_SECONDS - time.monotonic())
