"""backup_is_due(): whether the next backup is to be made by itself now."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from agents.backup.catalog import list_backups
from agents.models import Run

AFTER_FAILURE = timedelta(hours=1)


def backup_is_due(now: datetime) -> bool:
    """Hours after the last one that was whole, however it came to be made; an hour after one that failed."""
    every = timedelta(hours=settings.MEMORY_BACKUP_HOURS)
    if not every:
        return False
    latest = next((backup for backup in list_backups() if not backup.control_only), None)
    if latest is not None and now - every < latest.made_at <= now:
        return False
    failed = Run.objects.filter(kind=Run.Kind.BACKUP, state=Run.State.FAILED)
    return not failed.filter(finished_at__gt=now - AFTER_FAILURE).exists()
