"""AuditEvent: who did what, when, to what. Never memory text, never a secret."""

from __future__ import annotations

from django.db import models


class AuditEvent(models.Model):
    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.CharField(max_length=200)
    address = models.CharField(max_length=64, blank=True)
    action = models.CharField(max_length=60, db_index=True)
    target = models.CharField(max_length=200, blank=True)
    agent_slug = models.CharField(max_length=63, blank=True, db_index=True)
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.target}"
