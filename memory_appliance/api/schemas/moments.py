"""Times that callers give, held to those that a calendar can show in every zone."""

from __future__ import annotations

from datetime import datetime, timedelta

_DAYS_COUNTED = timedelta(days=400)
"""More than anything counts back from a time that is given, a zone's own hours included."""


def on_the_calendar(moment: datetime) -> datetime:
    """Raises `ValueError` for a time that has no date in UTC: hours at the two ends of the calendar."""
    return _with_room(moment, timedelta(0))


def amid_the_calendar(moment: datetime) -> datetime:
    """Raises `ValueError` for a time near the ends of the calendar, from which no days can be counted."""
    return _with_room(moment, _DAYS_COUNTED)


def _with_room(moment: datetime, room: timedelta) -> datetime:
    try:
        utc = moment.replace(tzinfo=None) - (moment.utcoffset() or timedelta(0))
        _ = utc - room, utc + room
    except OverflowError:
        raise ValueError("lies beyond the calendar") from None
    return moment
