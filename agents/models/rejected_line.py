"""RejectedLine: a line that a person took out of the memory; known by its digest alone, and not written again."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class RejectedLine(models.Model):
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="rejected_lines")
    digest = models.BinaryField(max_length=16, help_text="Of what the line says, without case and bullet.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["agent", "digest"], name="one_rejection_per_line"),)

    def __str__(self) -> str:
        return f"{self.agent_id} at {self.at:%Y-%m-%d}"
