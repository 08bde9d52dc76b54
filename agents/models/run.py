"""Run: one background job, on one agent's index or on the shared models, with its progress and its lease."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.columns.job_kinds import Kind
from agents.columns.public_ids import run_id
from agents.columns.sentences import SentenceText
from agents.models.agent import Agent
from agents.models.numbered import Numbered


class Run(Numbered):
    counter = "runs_numbered"

    Kind = Kind

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ACTIVE = (State.QUEUED, State.RUNNING)

    agent = models.ForeignKey(
        Agent,
        on_delete=models.CASCADE,
        related_name="runs",
        null=True,
        blank=True,
        help_text="A download or a backup has none.",
    )
    subject = models.CharField(max_length=300, blank=True, help_text="What a download is about: the model.")
    server = models.CharField(
        max_length=60, blank=True, help_text="The one of several servers on whose disk it is done; empty: any."
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    reason = models.CharField(max_length=40, default="request", help_text="request, schedule, watch, embed …")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    unit = models.CharField(max_length=20, default="files")
    result = models.JSONField(default=dict, blank=True)
    error = SentenceText(blank=True)
    cancel_requested = models.BooleanField(default=False)
    dispatched_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True, help_text="A run that was handed back waits until then.")
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=["agent", "-id"]),
            models.Index(fields=["agent", "number"], name="agents_run_agent_number_idx"),
            models.Index(fields=["state", "kind"]),
        )
        constraints = (
            # A second request for the same job joins the one that is already waiting or running.
            models.UniqueConstraint(
                fields=["agent", "kind"], condition=Q(state__in=["queued", "running"]), name="one_active_run_per_kind"
            ),
            models.UniqueConstraint(
                fields=["kind", "subject", "server"],
                condition=Q(agent__isnull=True, state__in=["queued", "running"]),
                name="one_active_run_per_subject",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.agent_id or self.subject} {self.state}"

    @property
    def public_id(self) -> int:
        """As answers show it. A job without an agent, which only keys for all agents see, is counted by its row."""
        return run_id(self.agent_id or 0, self.number or self.pk)

    @property
    def agent_slug(self) -> str:
        """ "" for a download."""
        return self.agent.slug if self.agent else ""

    @property
    def index_agent(self) -> Agent:
        """The agent whose index the job is about. Raises LookupError for a download."""
        if self.agent is None:
            raise LookupError(f"{self} is about no agent")
        return self.agent
