"""ApiKey: a gateway's key. Only its digest is kept; the secret is shown once."""

from __future__ import annotations

from django.db import models

from agents.columns.public_ids import veiled


class ApiKey(models.Model):
    name = models.CharField(max_length=200)
    lookup = models.CharField(max_length=16, db_index=True, help_text="First characters of the digest.")
    digest = models.CharField(max_length=64, unique=True)
    previous_lookup = models.CharField(max_length=16, blank=True, db_index=True)
    previous_digest = models.CharField(max_length=64, blank=True, help_text="Of the secret before the last rotation.")
    previous_until = models.DateTimeField(null=True, blank=True, help_text="Until then the old secret works too.")
    agents = models.JSONField(default=list, help_text='List of slugs, or "*" for all.')
    rights = models.JSONField(default=list, help_text="Subset of read, write, admin.")
    trusted = models.BooleanField(default=False, help_text="May call without a session, as the owner.")
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_address = models.CharField(max_length=64, blank=True, help_text="From where it was used last.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name

    @property
    def public_id(self) -> int:
        return veiled("key", self.pk)

    @property
    def label(self) -> str:
        """As the audit log and the history of files name it."""
        return f"key:{self.public_id} {self.name}"
