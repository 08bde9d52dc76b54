"""ProviderChoice: who does a role for every agent that does not say otherwise. Never a key: those stay outside."""

from __future__ import annotations

from django.db import models


class ProviderChoice(models.Model):
    class Role(models.TextChoices):
        EMBED = "embed"
        RERANK = "rerank"
        GENERATE = "generate"

    role = models.CharField(max_length=10, primary_key=True, choices=Role.choices)
    model = models.CharField(max_length=300, help_text="`provider` or `provider:model`.")
    fallback = models.CharField(max_length=300, blank=True, help_text="The same for the second choice; empty: none.")
    base_url = models.CharField(max_length=500, blank=True, help_text="Where the provider is; empty: as usual.")
    dimensions = models.PositiveIntegerField(null=True, blank=True, help_text="Fewer than the model makes.")
    modified_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.role}: {self.model}"
