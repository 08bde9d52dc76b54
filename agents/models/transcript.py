"""Transcript and TranscriptMessage: what is known of a chat's stored turns beside their text, which lies in files."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class Transcript(models.Model):
    """One chat. Its turns lie in numbered parts, each a JSONL file that only grows and the Markdown made from it."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="transcripts")
    session_key = models.CharField(max_length=1000)
    folded = models.BooleanField(default=False, help_text="Of a time when keys had small letters alone.")
    folder = models.CharField(max_length=100, help_text="Name of its folders below transcripts/<agent>/.")
    part = models.PositiveIntegerField(default=1, help_text="The part that grows.")
    size = models.PositiveBigIntegerField(default=0, help_text="Bytes of that part that are on record here.")
    first_part = models.PositiveIntegerField(default=1, help_text="Older parts were too old to be kept.")
    open_from = models.PositiveIntegerField(default=1, help_text="First part of what the model still has before it.")
    flush_from = models.PositiveIntegerField(default=1, help_text="First part that was not flushed yet.")
    reset_from = models.PositiveIntegerField(default=1, help_text="First part of what was said since the last reset.")
    last_at = models.DateTimeField(auto_now=True, db_index=True)

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["agent", "session_key"], name="one_transcript_per_session"),)

    def __str__(self) -> str:
        return f"{self.agent_id}/{self.folder}"


class TranscriptMessage(models.Model):
    """A message by its digests: by the id it came with, and by what it says."""

    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="messages")
    digest = models.BinaryField(max_length=16)
    content = models.BinaryField(max_length=16)
    part = models.PositiveIntegerField()

    class Meta:
        indexes = (models.Index(fields=["transcript", "content"]), models.Index(fields=["transcript", "part"]))
        constraints = (models.UniqueConstraint(fields=["transcript", "digest"], name="one_message_per_id"),)

    def __str__(self) -> str:
        return f"{self.transcript_id}:{self.part}"
