"""WorkspaceWrite: one write by the appliance to a Markdown file: its journal, its history and its idempotency key.

The row is made before the file is touched (`pending`) and completed after it, so that a process that dies in between
leaves the next one everything it needs to finish. Texts lie beside it as content-addressed copies, never in here.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.columns.sentences import SentenceChars
from agents.models.agent import Agent


class WorkspaceWrite(models.Model):
    class State(models.TextChoices):
        PENDING = "pending"
        DONE = "done"

    class Reviewed(models.TextChoices):
        OPEN = ""
        KEPT = "kept"
        REJECTED = "rejected"

    MAX_PROBLEM_CHARS = 500

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="writes")
    path = models.CharField(max_length=1024, help_text="Workspace-relative.")
    state = models.CharField(max_length=7, choices=State.choices, default=State.PENDING)
    problem = SentenceChars(
        max_length=MAX_PROBLEM_CHARS, blank=True, help_text="Why a write that was cut short cannot be finished yet."
    )
    action = models.CharField(max_length=20, help_text="append, duplicate, edit, restore, import, forget …")
    actor = models.CharField(max_length=200)
    at = models.DateTimeField(auto_now_add=True)
    session_key = models.CharField(max_length=1000, blank=True, help_text="The chat that the text came from.")
    folded = models.BooleanField(default=False, help_text="Of a time when keys had small letters alone.")

    before = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the content; empty: no such file.")
    after = models.CharField(max_length=64, blank=True)
    start = models.PositiveBigIntegerField(default=0, help_text="Byte at which an appended block begins.")
    size = models.PositiveBigIntegerField(default=0, help_text="Bytes of the file afterwards.")
    start_line = models.PositiveIntegerField(default=0)
    end_line = models.PositiveIntegerField(default=0)

    reviewed = models.CharField(
        max_length=8,
        choices=Reviewed.choices,
        blank=True,
        default="",
        db_default="",
        help_text="What a person decided.",
    )

    idempotency_key = models.CharField(max_length=200, blank=True)
    request_digest = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=["agent", "path", "-id"]),
            models.Index(fields=["agent"], condition=Q(state="pending"), name="writes_to_finish"),
            models.Index(fields=["agent", "-id"], condition=Q(action="append", reviewed=""), name="writes_to_review"),
        )
        constraints = (
            models.UniqueConstraint(
                fields=["agent", "idempotency_key"], condition=~Q(idempotency_key=""), name="one_write_per_key"
            ),
        )

    def __str__(self) -> str:
        return f"{self.action} {self.agent_id}/{self.path}"

    @staticmethod
    def of_chat(key: str) -> Q:
        """A filter: what was written for the chat, also when its key was kept in small letters. `key` is canonical."""
        return Q(session_key=key) | Q(session_key=key.lower(), folded=True)
