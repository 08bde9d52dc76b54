"""timeline(): a part of a chat as its page shows it, with what happened between the messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from agents.access.sessions import Session
from agents.memory.recall_events import session_digest
from agents.models import Agent, Flush, RecallEvent, Transcript
from agents.transcripts.reading import ChatPart, Message, read_after
from memory_appliance.web.days import day_of
from memory_appliance.web.recall.steps import SourceLink, source_links
from memory_appliance.web.recall.turns import TurnRow, row_of
from search.dates.zone import zone
from search.documents.text import safe_cut
from search.recall.outcome import Source

LONGEST = 6_000
"""Characters of one message that a page shows; the export has all of them."""
MOST_TURNS = 200
"""Turns of recall, and flushes, that one page shows."""

Kind = Literal["day", "message", "given", "flush", "flushed", "reset"]


@dataclass(frozen=True, slots=True)
class Item:
    """One of the kinds; `at` in the agent's time zone. `left`: characters that are not shown."""

    kind: Kind
    at: datetime | None = None
    day: str = ""
    mine: bool = False
    text: str = ""
    left: int = 0
    turn: TurnRow | None = None
    sources: tuple[SourceLink, ...] = ()
    flush: Flush | None = None


def timeline(agent: Agent, transcript: Transcript, part: ChatPart) -> tuple[Item, ...]:
    """Messages in their order; turns of recall and flushes by their time, between messages that have one."""
    own = zone(agent.timezone)
    return tuple(_with_days(_joined(transcript, part, _between(agent, transcript, part)), own))


def found_messages(agent: Agent, messages: Sequence[Message]) -> tuple[Item, ...]:
    """Messages that a search has found, without what happened between them."""
    return tuple(_with_days([_of_message(message) for message in messages], zone(agent.timezone)))


def _between(agent: Agent, transcript: Transcript, part: ChatPart) -> list[tuple[datetime, Item]]:
    """What happened from the first message on until the first one of the next page, oldest first."""
    times = [message.at for message in part.messages if message.at is not None]
    if not times:
        return []
    during: dict[str, datetime] = {"at__gte": times[0]} if part.older else {}
    following = read_after(transcript, part.newer, limit=1).messages if part.newer else ()
    if following and following[0].at:
        during["at__lt"] = following[0].at
    key = transcript.session_key
    turns = RecallEvent.objects.filter(agent=agent, session=session_digest(Session(key)), **during)
    flushes = Flush.objects.filter(agent=agent, session_key=key, **during)
    items = [(row.at, Item("flush", flush=row)) for row in flushes.order_by("-id")[:MOST_TURNS]]
    for event in turns.order_by("-id")[:MOST_TURNS]:
        event.agent = agent
        sources = source_links(agent, (Source(**source) for source in event.sources))
        items.append((event.at, Item("given", turn=row_of(event), sources=sources)))
    return sorted(items, key=lambda item: item[0])


def _joined(transcript: Transcript, part: ChatPart, between: list[tuple[datetime, Item]]) -> Iterator[Item]:
    before = part.older.part if part.older and part.older.offset else (part.older.part - 1 if part.older else 0)
    for message in part.messages:
        while between and message.at is not None and between[0][0] < message.at:
            yield between.pop(0)[1]
        yield from _borders(transcript, before, message.place.part)
        before = message.place.part
        yield _of_message(message)
    yield from (item for _at, item in between)
    if part.newer is None and part.messages:
        yield from _borders(transcript, before, transcript.part)


def _borders(transcript: Transcript, before: int, now: int) -> Iterator[Item]:
    """The last flush and the last reset, where a part that they have begun follows the one before it."""
    if before < transcript.flush_from <= now and transcript.flush_from > 1:
        yield Item("flushed")
    if before < transcript.reset_from <= now and transcript.reset_from > 1:
        yield Item("reset")


def _of_message(message: Message) -> Item:
    text = message.text
    end = safe_cut(text, LONGEST) if len(text) > LONGEST else len(text)
    return Item("message", at=message.at, mine=message.role == "user", text=text[:end], left=len(text) - end)


def _with_days(items: Iterator[Item] | list[Item], own: tzinfo) -> Iterator[Item]:
    """A heading wherever another day begins."""
    shown = ""
    for item in items:
        moment = item.at or (item.turn.at if item.turn else item.flush.at if item.flush else None)
        day = day_of(moment.astimezone(own)) if moment else shown
        if day != shown:
            shown = day
            yield Item("day", day=day)
        yield item
