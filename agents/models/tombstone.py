"""Tombstone: something was forgotten; work that began before may not bring it back."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class Tombstone(models.Model):
    class Kind(models.TextChoices):
        SESSION = "session"
        PATH = "path"

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="tombstones")
    kind = models.CharField(max_length=7, choices=Kind.choices)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the session key or path, which is forgotten too.")
    at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["agent", "kind", "digest"], name="one_tombstone_per_thing"),)

    def __str__(self) -> str:
        return f"{self.kind} of {self.agent_id} at {self.at:%Y-%m-%d}"
