"""take_batch(), close_batch(): the turns of one flush, kept in the transcript before all else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agents.models import Agent
from agents.transcripts.files import read_part, transcript_lock
from agents.transcripts.store import (
    close_parts,
    content_digest,
    contents_of,
    next_part,
    open_transcript,
    store_missing,
)
from search.documents.transcripts import Turn, spoken

MOST_TURNS = 5_000
"""Of a stored chat that was never flushed, the last so many are read for notes."""


@dataclass(frozen=True, slots=True)
class Batch:
    """`skip` are turns that were flushed before; `last_part` is the last part that holds any; `touched` changed.

    `cut`: the chat has more turns than are read for notes.
    """

    turns: tuple[Turn, ...]
    skip: frozenset[int]
    last_part: int
    touched: tuple[str, ...]
    cut: bool


def take_batch(agent: Agent, key: str, turns: Sequence[Turn] | None) -> Batch:
    """The given turns, or those of the stored chat that were not flushed yet. New turns go into the next part."""
    with transcript_lock(agent, key):
        transcript = open_transcript(agent, key)
        touched: list[str] = []
        skip: frozenset[int] = frozenset()
        cut = False
        if turns is not None:
            skip = _flushed_before(
                turns, Counter(contents_of(transcript, _contents(turns), before_part=transcript.flush_from))
            )
            touched = store_missing(transcript, turns)
        next_part(transcript)
        if turns is None:
            stored: list[Turn] = []
            first = max(transcript.flush_from, transcript.first_part)
            for part in range(transcript.part - 1, first - 1, -1):
                stored = [turn for turn in read_part(transcript, part) if spoken(turn)] + stored
                if len(stored) >= MOST_TURNS:
                    cut = part > first or len(stored) > MOST_TURNS
                    break
            turns = stored[-MOST_TURNS:]
        return Batch(tuple(turns), skip, transcript.part - 1, tuple(touched), cut)


def close_batch(agent: Agent, key: str, batch: Batch) -> list[str]:
    """These turns are flushed, and before the model's eyes no more. Returns the parts that changed.

    What came in meanwhile is in later parts and stays open.
    """
    with transcript_lock(agent, key):
        transcript = open_transcript(agent, key)
        transcript.flush_from = max(transcript.flush_from, batch.last_part + 1)
        transcript.save(update_fields=["flush_from", "last_at"])
        return close_parts(transcript, up_to=batch.last_part)


def _contents(turns: Sequence[Turn]) -> list[bytes]:
    return [content_digest(turn) for turn in turns]


def _flushed_before(turns: Sequence[Turn], flushed: Counter[bytes]) -> frozenset[int]:
    """The places of turns that say what flushed ones say, as often as those are on record, the first ones first."""
    skip = set()
    for place, content in enumerate(_contents(turns)):
        if flushed[content]:
            flushed[content] -= 1
            skip.add(place)
    return frozenset(skip)
