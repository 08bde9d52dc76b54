"""AgentRole: what a member may do with one agent in the web admin; owners (superusers) need none."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.agent import Agent


class AgentRole(models.Model):
    class Role(models.TextChoices):
        VIEW = "view"
        EDIT = "edit"
        ADMIN = "admin"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="agent_roles")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="roles")
    role = models.CharField(max_length=5, choices=Role.choices)

    class Meta:
        ordering = ("user_id", "agent_id")
        constraints = (models.UniqueConstraint(fields=["user", "agent"], name="one_role_per_agent"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} {self.agent_id}"
