"""WrittenLine: a line that came in through a door, known by its digest alone, with who stands behind it."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class WrittenLine(models.Model):
    class Origin(models.TextChoices):
        OWNER = "owner"
        AGENT = "agent"
        UNTRUSTED = "untrusted"
        SYSTEM = "system"

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="written_lines")
    digest = models.BinaryField(max_length=16)
    origin = models.CharField(max_length=9, choices=Origin.choices)
    path = models.CharField(max_length=1024, help_text="Where it was written first; it counts wherever it stands.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["agent", "digest"], name="one_origin_per_line"),)

    def __str__(self) -> str:
        return f"{self.origin} {self.path}"
