"""RecallToggle: recall switched off (or on again) for one chat, or for all chats of an agent."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class RecallToggle(models.Model):
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="recall_toggles")
    session = models.CharField(max_length=64, blank=True, help_text="Digest of the session key; empty for all chats.")
    folded = models.BooleanField(default=False, help_text="Of a time when keys had small letters alone.")
    enabled = models.BooleanField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["agent", "session"], name="one_recall_toggle_per_session"),)

    def __str__(self) -> str:
        return f"{self.agent_id} {self.session or 'all'} {'on' if self.enabled else 'off'}"
