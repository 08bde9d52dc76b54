"""Numbered: rows of an agent that carry a number within the agent, so that no id counts what other agents do."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models, transaction
from django.db.models import F

from agents.models.agent import Agent


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
            Agent.objects.filter(pk=agent).update(**{self.counter: F(self.counter) + 1})
            self.number = Agent.objects.values_list(self.counter, flat=True).get(pk=agent)
            super().save(*args, **kwargs)
