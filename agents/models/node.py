"""Node: one server among several on the same control database. AgentMove: an agent on its way to another node."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

NODE_PATTERN = r"^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?\Z"
"""It is part of queues' and folders' names."""


class Node(models.Model):
    """`seen_at` is the latest sign of life of its worker. A single server has no row here."""

    name = models.CharField(max_length=32, primary_key=True, validators=[RegexValidator(NODE_PATTERN)])
    url = models.CharField(max_length=300, help_text="Where the other nodes reach it.")
    data_dir = models.CharField(max_length=1024, blank=True, help_text="Its data folder, to tell the owner of places.")
    seen_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class AgentMove(models.Model):
    """One move, and the step that comes next. Whoever goes on with it changes the row by a conditional update first."""

    class Step(models.TextChoices):
        FREEZE = "freeze"
        COPY = "copy"
        VERIFY = "verify"
        SWITCH = "switch"
        THAW = "thaw"
        ASIDE = "aside"
        DONE = "done"
        FAILED = "failed"

    BEFORE_SWITCH = (Step.FREEZE, Step.COPY, Step.VERIFY, Step.SWITCH)
    """Until then the agent is the source's, and the move can be given up."""
    ACTIVE = (*BEFORE_SWITCH, Step.THAW, Step.ASIDE)

    agent = models.ForeignKey("agents.Agent", on_delete=models.CASCADE, related_name="moves")
    source = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="moves_out")
    target = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="moves_in")
    step = models.CharField(max_length=10, choices=Step.choices, default=Step.FREEZE)
    detail = models.JSONField(default=dict, blank=True, help_text="What was copied, and where the old copy lies.")
    error = models.TextField(blank=True, help_text="Why it waits, or why it was given up.")
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    progress_at = models.DateTimeField(auto_now_add=True, help_text="When a step was last completed.")
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["agent"],
                condition=Q(step__in=["freeze", "copy", "verify", "switch", "thaw", "aside"]),
                name="one_active_move_per_agent",
            ),
        )

    def __str__(self) -> str:
        return f"{self.agent_id} {self.source_id} → {self.target_id}: {self.step}"
