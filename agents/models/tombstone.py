"""Tombstone: something was forgotten; work that began before may not bring it back.

It is made before a file is touched and says how far the forgetting has come, so that the next start can finish one that
was cut short.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.columns.sentences import SentenceChars
from agents.models.agent import Agent


class Tombstone(models.Model):
    class Kind(models.TextChoices):
        SESSION = "session"
        PATH = "path"

    class Step(models.TextChoices):
        FILES = "files"
        REST = "rest"
        DONE = ""

    MAX_PROBLEM_CHARS = 500

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="tombstones")
    kind = models.CharField(max_length=7, choices=Kind.choices)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the session key or path, which is forgotten too.")
    at = models.DateTimeField(db_index=True)
    step = models.CharField(
        max_length=5, choices=Step.choices, blank=True, default=Step.DONE, help_text="What is to be done next, if any."
    )
    name = models.CharField(max_length=1024, blank=True, help_text="The session key or path until all is done.")
    taken = models.JSONField(
        default=list, help_text="Path, whole, first and last line of each text that goes, until somebody was told."
    )
    problem = SentenceChars(max_length=MAX_PROBLEM_CHARS, blank=True, help_text="Why it cannot be finished yet.")

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=["agent"], condition=~Q(step=""), name="forgettings_to_finish"),)
        constraints = (models.UniqueConstraint(fields=["agent", "kind", "digest"], name="one_tombstone_per_thing"),)

    def __str__(self) -> str:
        return f"{self.kind} of {self.agent_id} at {self.at:%Y-%m-%d}"
