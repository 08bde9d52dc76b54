"""my_turn(): of several servers one does what comes round, and another the next time when that one has gone."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from agents.models import Round


def my_turn(name: str, *, seconds: float) -> bool:
    """Whether this server does it now: no server has begun it within `seconds`, by the database's clock.

    Servers' own clocks may differ. The only server always does, and asks nothing.
    """
    if not settings.MEMORY_SERVER_NAME:
        return True
    again = ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())
    if Round.objects.filter(name=name, next_at__lte=Now()).update(next_at=again):
        return True
    return not Round.objects.filter(name=name).exists() and _first(name, again)


def _first(name: str, again: Combinable) -> bool:
    """`ignore_conflicts`: two servers may begin the very first round together."""
    Round.objects.bulk_create([Round(name=name, next_at=Now())], ignore_conflicts=True)
    return bool(Round.objects.filter(name=name, next_at__lte=Now()).update(next_at=again))
