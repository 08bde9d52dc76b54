"""dated(): notes with the dates that their relative times meant when they were said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo

from search.dates import written_dates
from search.documents.transcripts import Turn
from search.flush import Choice


def dated(
    choices: Sequence[Choice], turns: Sequence[Turn], *, zone: tzinfo, day: date, live: bool
) -> tuple[Choice, ...]:
    """Each by its message's own time in the agent's `zone`, else by that of the nearest one before it.

    A message without any was said on the `day` of the flush when the conversation is `live`; in a stored one nobody
    knows when, and its words stay as they are.
    """
    said_on: list[date | None] = []
    for turn in turns:
        said_on.append(_day(turn.at, zone) or (said_on[-1] if said_on else day if live else None))
    found = []
    for choice in choices:
        on = said_on[choice.index]
        text = written_dates(choice.text, on) if on else choice.text
        if choice.kind == "state":
            text = f"{(on or day).isoformat()}: {text}"
        found.append(replace(choice, text=text))
    return tuple(found)


def _day(at: str, zone: tzinfo) -> date | None:
    """The day of an ISO time or of a Unix time in seconds or milliseconds; None for anything else."""
    try:
        if at.replace(".", "", 1).isdecimal():
            seconds = float(at)
            return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, zone).date()
        moment = datetime.fromisoformat(at)
        return (moment.astimezone(zone) if moment.tzinfo else moment).date()
    except (ValueError, OverflowError, OSError):
        return None
