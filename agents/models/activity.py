"""ActivityHour: what happened in an hour, counted once, so that a chart over months reads a few rows."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class ActivityHour(models.Model):
    """Of one agent, or of all of them in the row without an agent. Hours in which nothing happened have no row."""

    agent = models.ForeignKey(Agent, null=True, on_delete=models.CASCADE, related_name="activity", db_index=False)
    at = models.DateTimeField(help_text="The full hour at which it begins.")
    recalled = models.PositiveIntegerField(default=0, help_text="Turns that got a memory.")
    nothing = models.PositiveIntegerField(default=0, help_text="Turns for which nothing relevant was found.")
    skipped = models.PositiveIntegerField(default=0, help_text="Turns that did not need memory.")
    denied = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0, help_text="Timed out, unavailable or failed.")
    took = models.JSONField(default=list, help_text="Turns per span of time they took.")
    writes = models.PositiveIntegerField(default=0, help_text="Writes of notes.")
    chunks = models.PositiveIntegerField(null=True, help_text="In the indexes at the end of the hour, where counted.")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["agent", "at"], name="one_activity_per_agent_and_hour"),
            models.UniqueConstraint(fields=["at"], condition=models.Q(agent=None), name="one_activity_of_all_per_hour"),
        )

    def __str__(self) -> str:
        return f"{self.agent_id} {self.at:%Y-%m-%d %H}"


class ActivityMark(models.Model):
    """Up to which row of a table activity is counted; it moves in the transaction that counts."""

    table = models.CharField(max_length=20, primary_key=True)
    counted = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.table}: {self.counted}"
