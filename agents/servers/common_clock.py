"""common_now(): the time by which leases and signs of life go, the same for all servers whatever their clocks say."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

_SECONDS = 30.0
"""So long a process goes by its own ticking before it asks again."""

_asked: tuple[float, datetime] | None = None


def common_now() -> datetime:
    """PostgreSQL's clock where several servers may share it, else this machine's. Raises `DatabaseError`."""
    global _asked
    if not settings.MEMORY_SERVER_NAME:
        return timezone.now()
    ticks = time.monotonic()
    if _asked is None or ticks - _asked[0] > _SECONDS:
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            _asked = (time.monotonic(), cursor.fetchone()[0])
        ticks = _asked[0]
    return _asked[1] + timedelta(seconds=ticks - _asked[0])
