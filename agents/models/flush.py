"""Flush: a compaction cycle of a chat that was flushed, so that it is flushed once."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class Flush(models.Model):
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="flushes")
    session_key = models.CharField(max_length=1000, blank=True)
    cycle = models.CharField(max_length=100)
    method = models.CharField(max_length=10)
    written = models.PositiveIntegerField(default=0, help_text="How many notes came of it.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "flushes"
        constraints = (models.UniqueConstraint(fields=["agent", "session_key", "cycle"], name="one_flush_per_cycle"),)

    def __str__(self) -> str:
        return f"{self.agent_id} cycle {self.cycle}"
