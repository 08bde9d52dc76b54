"""Numbered: rows of an agent that carry a number within the agent, so that no id counts what other agents do."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models, transaction
from django.db.models import F, Max

from agents.models.agent import Agent

LAST = 2**53 - 1
"""The highest whole number that every JSON reader keeps exactly."""


class Numbered(models.Model):
    """A new row takes the agent's next number; numbers of rows that are gone are not given again.

    Rows that are made in bulk get none, and are counted by their own.
    """

    counter: ClassVar[str]
    """The agent's field that holds how many it has given."""

    number = models.PositiveBigIntegerField(default=0, help_text="Within the agent, from 1; 0 without an agent.")

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        agent = getattr(self, "agent_id", None)
        if not self._state.adding or self.number or agent is None:
            super().save(*args, **kwargs)
            return
        with transaction.atomic():
            given = Agent.objects.filter(pk=agent, **{f"{self.counter}__lt": LAST})
            if not given.update(**{self.counter: F(self.counter) + 1}):
                # No server has given so many: the count was written by hand, and goes on after the rows that are there.
                rows = type(self)._base_manager.filter(number__lt=LAST, **{"agent": agent})
                highest = rows.aggregate(highest=Max("number"))["highest"] or 0
                Agent.objects.filter(pk=agent).update(**{self.counter: highest + 1})
            self.number = Agent.objects.values_list(self.counter, flat=True).get(pk=agent)
            super().save(*args, **kwargs)
