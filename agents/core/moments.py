"""Times of files as dates: any number that a disk gives has one, clamped to the ends of the calendar."""

from __future__ import annotations

import math
from datetime import UTC, datetime

FIRST, LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, 23, 59, 58, tzinfo=UTC)
"""A day inside the calendar's ends, so that every time zone can show them."""


def moment_of(seconds: float) -> datetime:
    """Seconds since 1970 as a time in UTC; what is no number is the beginning of 1970."""
    if math.isnan(seconds):
        return datetime.fromtimestamp(0, UTC)
    return datetime.fromtimestamp(min(max(seconds, FIRST.timestamp()), LAST.timestamp()), UTC)
