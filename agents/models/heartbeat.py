"""WorkerHeartbeat: the last sign of life of each background process."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class WorkerHeartbeat(models.Model):
    WORKER = "worker"
    """The only server's; each of several says so under `worker@<server>`."""

    name = models.CharField(max_length=100, unique=True)
    at = models.DateTimeField(db_index=True)
    detail = models.JSONField(default=dict, blank=True, help_text="Process id, memory in bytes, version …")

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @classmethod
    def own(cls) -> str:
        """The name under which this server's worker says that it lives."""
        return "@".join(filter(None, (cls.WORKER, settings.MEMORY_SERVER_NAME)))
