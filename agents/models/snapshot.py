"""IndexSnapshot: what an index held when the last job on it ended, so that a page over all agents opens none."""

from __future__ import annotations

from django.db import models

from agents.columns.sentences import SentencesJson
from agents.models.agent import Agent


class IndexSnapshot(models.Model):
    agent = models.OneToOneField(Agent, on_delete=models.CASCADE, related_name="snapshot", primary_key=True)
    at = models.DateTimeField(help_text="When it was taken.")
    exists = models.BooleanField(default=True, help_text="Whether there was an index at all.")
    files = models.PositiveIntegerField(default=0)
    chunks = models.PositiveIntegerField(default=0)
    embedded = models.PositiveIntegerField(default=0)
    size_bytes = models.PositiveBigIntegerField(default=0)
    degraded = SentencesJson(default=list, blank=True, help_text="[{code, detail}]; waiting vectors are none.")
    problems = models.PositiveIntegerField(default=0, help_text="How many files were skipped or cut.")
    notes = SentencesJson(
        default=list, blank=True, help_text="The first problems and the limits that are near, a sentence each."
    )

    def __str__(self) -> str:
        return f"{self.agent_id}: {self.files} files"
