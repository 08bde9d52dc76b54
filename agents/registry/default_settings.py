"""set_default_settings(): what every agent has that does not say otherwise."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.core.actors import Actor
from agents.core.agent_settings import OF_ONE_AGENT, changed_settings, without_texts
from agents.core.audit import record
from agents.core.errors import Invalid
from agents.models import Agent, DefaultSettings
from search.sentences import sentence


def set_default_settings(*, actor: Actor, settings: dict[str, Any]) -> None:
    """Change the defaults that are named; a null returns one to the built-in value. Agents follow at once.

    Raises `Invalid`, naming the setting. What an agent has of its own stays.
    """
    own = sorted(OF_ONE_AGENT.intersection(settings))
    if own:
        raise Invalid(
            sentence("{own} has no default for all agents.", own=own[0]),
            hint=sentence(
                "Set it for each agent; the server's models are on the models page and at /api/v1/providers."
            ),
            field=f"settings.{own[0]}",
        )
    with transaction.atomic():
        DefaultSettings.objects.get_or_create(pk=True)
        row = DefaultSettings.objects.select_for_update().get(pk=True)
        row.values = changed_settings(row.values, settings).stored()
        row.save()
        Agent.objects.update(defaults=row.values)
        _follow(settings)
        record(actor=actor, action="settings.defaults", detail={"settings": without_texts(settings)})


def _follow(changes: dict[str, Any]) -> None:
    """What is kept for agents by a setting is brought up to date: indexes and times by an update, quotas by a count."""
    if changes.keys() & {"late_interaction", "update_interval_seconds"}:
        Agent.objects.update(update_requested_at=timezone.now())
    if "disk_quota_mb" in changes:
        Agent.objects.update(disk_bytes=None)
