"""Kind: what a background job may be. The table of what each is done with is workers/jobs.py. Needs no settings."""

from __future__ import annotations

from django.db.models import TextChoices


class Kind(TextChoices):
    UPDATE = "update"
    EMBED = "embed"
    REBUILD = "rebuild"
    PULL = "pull"
    BACKUP = "backup"
    REVIEW = "review"
