"""Change: what a server wrote or found changed, for the indexes of the other servers. Embedding: what one embedded."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class Change(models.Model):
    """`number` is the agent's generation that came with it; a write of several files has a row for each."""

    class What(models.TextChoices):
        FILE = "file", "this file was written, changed or removed"
        FORGOTTEN = "forgotten", "something was taken out of this file, and goes out of every index and its vectors"
        WHOLE = "whole", "more than files: every file is looked at again"
        REBUILT = "rebuilt", "an index was made anew for another embedding set-up"
        VECTORS = "vectors", "texts got their vectors"

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="changes")
    number = models.PositiveBigIntegerField()
    what = models.CharField(max_length=9, choices=What.choices, default=What.FILE)
    path = models.CharField(max_length=1200, blank=True, help_text="As the index names it; empty: all files.")
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = (models.Index(fields=["agent", "number"], name="agents_change_number_idx"),)

    def __str__(self) -> str:
        return f"{self.agent_id}: {self.number} {self.what} {self.path}"


class Embedding(models.Model):
    """One text of one agent: the text's SHA-256, and the vectors of its passages and tokens as an index keeps
    them."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="embeddings")
    fingerprint = models.CharField(max_length=300, help_text="Of the embedding set-up.")
    hash = models.BinaryField(max_length=32)
    parts = models.BinaryField()
    version = models.PositiveBigIntegerField(null=True, blank=True, help_text="Of the vectors of its tokens.")
    bits = models.BinaryField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["agent", "fingerprint", "hash"], name="one_embedding_per_text"),)

    def __str__(self) -> str:
        return f"{self.agent_id}: {bytes(self.hash).hex()[:8]}"
