"""Queues: jobs do not wait for long, and none failed of late."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from agents.models import Run
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.sentences import sentence

PATIENCE = timedelta(minutes=10)
LATELY = timedelta(days=1)


def _look(visit: Visit) -> Looking:
    now = timezone.now()
    mine = Run.objects.select_related("agent")
    if visit.agent:
        mine = mine.filter(agent__slug=visit.agent)
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    waiting = mine.filter(due, state=Run.State.QUEUED)
    oldest = waiting.order_by("created_at").first()
    lost = mine.filter(state=Run.State.RUNNING, lease_until__lt=now - PATIENCE).count()
    if oldest is not None and now - oldest.created_at > PATIENCE:
        age = timedelta(seconds=round((now - oldest.created_at).total_seconds()))
        yield Seen(
            "warning",
            sentence(
                "Waiting: {count}, the oldest ({kind} {agent_slug}) for {age}.",
                count=waiting.count(),
                kind=oldest.kind,
                agent_slug=oldest.agent_slug or oldest.subject,
                age=age,
            ),
            sentence("Embedding many chunks takes its time; if no worker is alive, start the server."),
            "age",
        )
    if lost:
        yield Seen(
            "problem",
            sentence("Lost by their worker and not taken up again: {lost}.", lost=lost),
            sentence("Start the server."),
            "lost",
        )
    failed = mine.filter(state=Run.State.FAILED, finished_at__gt=now - LATELY)
    if latest := failed.first():
        yield Seen(
            "warning",
            sentence(
                "Failed since yesterday: {count}; the last, {kind} of {agent_slug}: {error}",
                count=failed.count(),
                kind=latest.kind,
                agent_slug=latest.agent_slug or latest.subject or "the server",
                error=latest.error,
            ),
            sentence("If its cause is gone the next one goes well by itself; else do what the error says."),
            "failed",
        )
    if not failed and not lost and (oldest is None or now - oldest.created_at <= PATIENCE):
        yield Seen(
            "ok",
            sentence(
                "Waiting: {count}, under way: {count_2}.",
                count=waiting.count(),
                count_2=mine.filter(state=Run.State.RUNNING).count(),
            ),
        )


QUEUES = Check("queues", "Jobs", _look, needs_database=True)
