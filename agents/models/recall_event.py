"""RecallEvent: what one turn's recall came to and why. The message itself is kept only if the owner wants that."""

from __future__ import annotations

from django.db import models

from agents.columns.sentences import SentencesJson
from agents.models.agent import Agent
from agents.models.numbered import Numbered


class RecallEvent(Numbered):
    counter = "recalls_numbered"

    # Its own index would be taken in place of the better ones below, which all begin with it.
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="recall_events", db_index=False)
    at = models.DateTimeField(auto_now_add=True)
    session = models.CharField(max_length=64, blank=True, help_text="Digest of the session key; empty without one.")
    chat_type = models.CharField(max_length=20, blank=True)
    channel = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=24)
    reason = models.CharField(max_length=32)
    lane = models.CharField(max_length=8, blank=True)
    elapsed_ms = models.FloatField()
    steps = SentencesJson(default=list, blank=True, help_text="[{name, took_ms, detail}] in order.")
    query = models.TextField(blank=True, help_text="The terms looked for; the whole query if messages are stored.")
    query_chars = models.PositiveIntegerField(default=0)
    message = models.TextField(blank=True, help_text="Empty unless messages are stored.")
    intent = models.JSONField(null=True, blank=True)
    sources = models.JSONField(default=list, blank=True)
    summary_chars = models.PositiveIntegerField(default=0)
    detail = models.JSONField(default=dict, blank=True, help_text="Generator, refused tools, degradations, cache.")

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=["agent", "-id"]),
            models.Index(fields=["agent", "number"], name="agents_recall_agent_number_idx"),
            models.Index(fields=["agent", "status", "-id"]),
            # Holds all that counting a day's outcomes asks for, in the order in which they are counted.
            models.Index(fields=["agent", "status", "at"]),
            # Whatever turns are chosen by, a rare kind is found without reading all of the others.
            models.Index(fields=["status", "-id"]),
            models.Index(fields=["reason", "-id"]),
            models.Index(fields=["agent", "reason", "-id"]),
            models.Index(fields=["lane", "-id"]),
            models.Index(fields=["session", "agent", "-id"]),
        )

    @property
    def public_id(self) -> int:
        """As answers show it, beside the agent."""
        return self.number or self.pk

    def __str__(self) -> str:
        return f"{self.agent_id} {self.status} {self.reason}"
