"""FileUse: how often searches and recalls brought up one file, and when last. No question, no text."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class FileUse(models.Model):
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="file_uses")
    path = models.CharField(max_length=1024, help_text="As searches answer it.")
    found = models.PositiveBigIntegerField(default=0)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        ordering = ("-found", "path")
        indexes = (models.Index(fields=["agent", "-found"]),)
        constraints = (models.UniqueConstraint(fields=["agent", "path"], name="one_use_per_file"),)

    def __str__(self) -> str:
        return f"{self.agent_id} {self.path}: {self.found}"
