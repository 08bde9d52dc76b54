"""Collection: a folder of Markdown that belongs to one agent."""

from __future__ import annotations

from django.db import models

from agents.columns.stored_values import ReadAsText
from agents.models.agent import Agent


class Collection(ReadAsText):
    class Kind(models.TextChoices):
        MEMORY = "memory"
        CUSTOM = "custom"
        SESSIONS = "sessions"

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="collections")
    name = models.CharField(max_length=63)
    path = models.CharField(max_length=1024, help_text="Absolute folder, inside the allowed roots.")
    pattern = models.CharField(max_length=500, default="**/*.md")
    ignore = models.JSONField(default=list, blank=True)
    context = models.TextField(blank=True, help_text="A sentence on what these files are.")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.CUSTOM)
    origin = models.CharField(
        max_length=9,
        choices=[(name, name) for name in ("owner", "agent", "untrusted", "system")],
        blank=True,
        help_text="Who stands behind files whose writing was not recorded; empty: by the kind.",
    )
    include_by_default = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    modified_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("agent_id", "id")
        constraints = (models.UniqueConstraint(fields=["agent", "name"], name="one_collection_name_per_agent"),)

    def __str__(self) -> str:
        return f"{self.agent_id}/{self.name}"
