"""DefaultSettings: what agents have that do not say otherwise; one row for the whole server."""

from __future__ import annotations

from django.db import models


class DefaultSettings(models.Model):
    only = models.BooleanField(primary_key=True, default=True, help_text="There is one row.")
    values = models.JSONField(default=dict, blank=True, help_text="Only what the owner has set.")
    modified_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"defaults of {len(self.values)} settings"
