"""note(): each write, and each change that an update finds, raises the agent's generation and names the files.

Only where PostgreSQL is the control database: a SQLite one has one server, which indexes what it writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agents.models import Agent, Change

KEPT = timedelta(days=7)
"""An index that has not followed for so long is rebuilt."""
MOST_FILES = 500
"""Named one by one; of more changes at once all files are looked at."""


def several() -> bool:
    """Whether other servers may answer for the same agents."""
    return bool(settings.MEMORY_SERVER_NAME)


def note(agent_id: int, paths: Iterable[str] = (), *, what: str = Change.What.FILE) -> int:
    """Raise the agent's generation; returns it, 0 on a single server. In the transaction of what it is about."""
    if not several():
        return 0
    named = list(dict.fromkeys(paths))
    if len(named) > MOST_FILES:
        named, what = [], Change.What.WHOLE
    with transaction.atomic():
        Agent.objects.filter(pk=agent_id).update(generation=F("generation") + 1)
        number = generation(agent_id)
        if number:
            Change.objects.bulk_create(
                Change(agent_id=agent_id, number=number, what=what, path=path) for path in named or [""]
            )
    return number


def generation(agent_id: int) -> int:
    return Agent.objects.filter(pk=agent_id).values_list("generation", flat=True).first() or 0


def prune_changes() -> int:
    return Change.objects.filter(at__lt=timezone.now() - KEPT).delete()[0]
