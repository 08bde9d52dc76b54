"""ScopeRule: one of an agent's ordered rules; the first whose given conditions all hold decides."""

from __future__ import annotations

from django.db import models

from agents.models.agent import Agent


class ScopeRule(models.Model):
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="scope_rules")
    position = models.PositiveIntegerField()
    action = models.CharField(max_length=5, choices=[("allow", "allow"), ("deny", "deny")])
    match = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("agent_id", "position")
        constraints = (models.UniqueConstraint(fields=["agent", "position"], name="one_rule_per_position"),)

    def __str__(self) -> str:
        return f"{self.agent_id}[{self.position}] {self.action}"
