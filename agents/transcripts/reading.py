"""A chat page by page, from its end or from any place in it: a page costs a few blocks, however long the chat is.

What is shown is what search shows: the words of people and agent, secrets masked, without tool traffic and injected
blocks (`spoken`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO, NamedTuple

from agents.core.moments import FIRST, LAST
from agents.core.paging import as_number
from agents.models import Transcript
from agents.transcripts.files import turns_path
from search.documents.secrets import mask_secrets
from search.documents.transcripts import read_turn, spoken

BLOCK = 256 * 1024
"""Bytes read at once. A line that is longer is counted and passed over."""
BUDGET = 2 * BLOCK
"""Bytes after which a page stops with what it has."""
OPENING = 4 * 1024
"""What opening a part counts for: a chat that is reset often has many small ones."""


class Place(NamedTuple):
    """A byte of a part, at which a line begins; as text `3-1200`: byte 1200 of part 3."""

    part: int
    offset: int

    def __str__(self) -> str:
        return f"{self.part}-{self.offset}"


def place_of(text: str) -> Place | None:
    """None for what names no place."""
    part, _dash, offset = text.partition("-")
    numbers = as_number(part), as_number(offset)
    return Place(numbers[0], numbers[1]) if numbers[0] is not None and numbers[1] is not None else None


@dataclass(frozen=True, slots=True)
class Message:
    """`role` is user or assistant; `at` None when the message came without a time that can be read."""

    role: str
    text: str
    at: datetime | None
    place: Place


@dataclass(frozen=True, slots=True)
class ChatPart:
    """Oldest first. `older` and `newer`: where to go on from; None at the ends. `passed`: lines too long to be read."""

    messages: tuple[Message, ...]
    older: Place | None
    newer: Place | None
    passed: int = 0


def read_before(
    transcript: Transcript, place: Place | None = None, *, limit: int, containing: str = "", budget: int = BUDGET,
    since_part: int = 1,
) -> ChatPart:  # fmt: skip
    """The last messages before `place`, or of the whole chat; with `containing`, those that hold these words.

    None of the parts before `since_part`.
    """
    shown = _filter(containing)
    first_part = max(transcript.first_part, since_part)
    block = min(BLOCK, budget)
    if place is not None and place.part > transcript.part:
        place = None
    part, end = place or Place(transcript.part, -1)
    found: list[Message] = []
    passed = 0
    while part >= first_part:
        budget -= OPENING
        with _Part(transcript, part) as file:
            end = file.size if end < 0 else min(end, file.size)
            while end > 0 and len(found) < limit and budget > 0:
                start = max(0, end - block)
                data = file.read(start, end - start)
                budget -= len(data)
                cut = data.find(b"\n", 0, len(data) - 1) + 1 if start else 0
                if start and not cut:
                    passed, end = passed + 1, start
                    continue
                end = start + cut
                for offset, line in reversed(list(_lines(data[cut:], start + cut))):
                    message = _message(line, Place(part, offset))
                    if message is not None and shown(message):
                        found.append(message)
                        if len(found) == limit:
                            end = offset
                            break
        if end > 0 or len(found) == limit or budget <= 0:
            break
        part, end = part - 1, -1
    ended = part < first_part or (part == first_part and end <= 0)
    return ChatPart(tuple(reversed(found)), None if ended else Place(part, max(end, 0)), place, passed)


def read_after(transcript: Transcript, place: Place, *, limit: int) -> ChatPart:
    """The first messages from `place` on."""
    part, start = max(place.part, transcript.first_part), place.offset if place.part >= transcript.first_part else 0
    found: list[Message] = []
    passed = 0
    budget = BUDGET
    while part <= transcript.part and len(found) < limit and budget > 0:
        budget -= OPENING
        with _Part(transcript, part) as file:
            while start < file.size and len(found) < limit and budget > 0:
                data = file.read(start, BLOCK)
                budget -= len(data)
                cut = data.rfind(b"\n") + 1
                if not cut:
                    passed, start = passed + 1, start + len(data)
                    continue
                for offset, line in _lines(data[:cut], start):
                    start = offset + len(line) + 1
                    message = _message(line, Place(part, offset))
                    if message is not None:
                        found.append(message)
                        if len(found) == limit:
                            break
            if start < file.size:
                break
        part, start = part + 1, 0
    first = place.part < transcript.first_part or place == Place(transcript.first_part, 0)
    newer = Place(part, start) if part <= transcript.part else None
    return ChatPart(tuple(found), None if first else place, newer, passed)


def read_all(transcript: Transcript) -> Iterator[Message]:
    """Every message, oldest first, a block at a time."""
    place: Place | None = Place(transcript.first_part, 0)
    while place is not None:
        part = read_after(transcript, place, limit=500)
        yield from part.messages
        place = part.newer


def _filter(words: str) -> Callable[[Message], bool]:
    wanted = words.casefold().split()
    return lambda message: all(word in message.text.casefold() for word in wanted)


def _lines(data: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Each line with the byte at which it begins; `data` begins at `start`."""
    for line in data.split(b"\n"):
        if line:
            yield start, line
        start += len(line) + 1


def _message(line: bytes, place: Place) -> Message | None:
    """None for what is not shown: tool traffic, commands, and what a block's edge has cut."""
    turn = read_turn(line.decode("utf-8", "replace"))
    text = spoken(turn)
    return Message(turn.role, mask_secrets(text), moment(turn.at), place) if text else None


def moment(at: str) -> datetime | None:
    """The time of a message: ISO 8601 (without a zone it is UTC), or seconds or milliseconds since 1970."""
    try:
        if at.isascii() and at.isdigit() and len(at) in (10, 13):
            return datetime.fromtimestamp(int(at) / (1000 if len(at) == 13 else 1), UTC)
        found = datetime.fromisoformat(at)
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        return found.astimezone(UTC) if FIRST < found < LAST else None
    except (ValueError, OverflowError):
        return None


class _Part:
    """A part's file, open for reading; a missing one is empty."""

    def __init__(self, transcript: Transcript, part: int) -> None:
        self._file: BinaryIO | None = None
        self.size = 0
        with suppress(FileNotFoundError):
            self._file = turns_path(transcript, part).open("rb")
            self.size = self._file.seek(0, os.SEEK_END)

    def __enter__(self) -> _Part:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._file is not None:
            self._file.close()

    def read(self, start: int, length: int) -> bytes:
        if self._file is None:
            return b""
        self._file.seek(start)
        return self._file.read(length)
