"""CollectionShare: an agent's collection that another agent may search and read, never write."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent
from agents.models.collection import Collection


class CollectionShareManager(models.Manager["CollectionShare"]):
    """A share is of no use without its collection, that collection's owner, and its reader."""

    def get_queryset(self) -> models.QuerySet[CollectionShare]:
        return super().get_queryset().select_related("collection__agent", "reader")


class CollectionShare(models.Model):
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="shares")
    reader = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="shared_in")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CollectionShareManager()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=["collection", "reader"], name="one_share_per_reader"),)

    def __str__(self) -> str:
        return f"{self.collection_id} → {self.reader_id}"
