"""UsedEntry: a line of a dated note that searches brought up, with when, how well and for which questions."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class UsedEntry(models.Model):
    """The line itself is read again from its file when it counts; here it is a digest."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="used_entries")
    path = models.CharField(max_length=1024)
    digest = models.CharField(max_length=32, help_text="Of the line's text.")
    line = models.PositiveIntegerField(help_text="Where it stood last.")
    recalls = models.PositiveIntegerField(default=0)
    score_sum = models.FloatField(default=0.0)
    queries = models.JSONField(default=list, help_text="Digests of the latest questions.")
    days = models.JSONField(default=list, help_text="Days on which it was brought up.")
    last_at = models.DateTimeField(db_index=True)
    promoted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-last_at",)
        verbose_name_plural = "used entries"
        constraints = (models.UniqueConstraint(fields=["agent", "path", "digest"], name="one_entry_per_line"),)

    def __str__(self) -> str:
        return f"{self.agent_id} {self.path}:{self.line}"
