"""Agent: one memory, one workspace folder, one index file."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models

from agents.columns.sentences import SentenceText
from agents.columns.stored_values import ReadAsText

SLUG_PATTERN = r"^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z"
"""Safe as a file name on every system: lower case, digits and inner hyphens, at most 63 characters."""


class Agent(ReadAsText):
    slug = models.CharField(max_length=63, unique=True, validators=[RegexValidator(SLUG_PATTERN)])
    name = models.CharField(max_length=200, blank=True)
    workspace = models.CharField(
        max_length=1024, db_index=True, help_text="Absolute folder that holds the agent's Markdown."
    )
    timezone = models.CharField(max_length=64, default="UTC")
    settings = models.JSONField(default=dict, blank=True, help_text="Only what differs from the defaults.")
    defaults = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="A copy of DefaultSettings, so that no request reads another row for it.",
    )
    scope_default = models.CharField(max_length=5, choices=[("deny", "deny"), ("allow", "allow")], default="deny")

    # Intent and schedule of the index: written by the domain and the watcher, read by the sweep.
    update_requested_at = models.DateTimeField(null=True, blank=True)
    last_update_at = models.DateTimeField(null=True, blank=True)
    last_change_at = models.DateTimeField(
        null=True, blank=True, help_text="Last update that found changed files; the debounce counts from it."
    )
    last_error = SentenceText(blank=True)
    next_update_at = models.DateTimeField(null=True, blank=True, db_index=True)

    pending_embeddings = models.PositiveIntegerField(
        default=0, help_text="Chunks that waited for their vector when the last job on the index ended."
    )

    # Kept only while the agent has a disk quota (agents/core/quota.py).
    disk_bytes = models.BigIntegerField(null=True, blank=True, help_text="What its files took when last counted.")
    disk_written = models.BigIntegerField(default=0, help_text="What the appliance has written since then.")

    generation = models.PositiveBigIntegerField(default=0, help_text="Of what was written: one more with each write.")
    runs_numbered = models.PositiveBigIntegerField(default=0, help_text="The number of its latest run.")
    recalls_numbered = models.PositiveBigIntegerField(default=0, help_text="The number of its latest recall event.")

    created_at = models.DateTimeField(auto_now_add=True)
    modified_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.slug
