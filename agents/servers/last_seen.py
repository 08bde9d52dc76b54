"""last_seen(): the latest moment that the records of this server know of; a clock before it has gone back."""

from __future__ import annotations

from datetime import datetime

from agents.models import AuditEvent, Run, WorkerHeartbeat


def last_seen() -> datetime | None:
    """None on a server that has done nothing yet. Three rows are read, each by an index."""
    moments = [
        WorkerHeartbeat.objects.order_by("-at").values_list("at", flat=True).first(),
        Run.objects.order_by("-id").values_list("created_at", flat=True).first(),
        AuditEvent.objects.order_by("-id").values_list("at", flat=True).first(),
    ]
    return max((moment for moment in moments if moment is not None), default=None)
