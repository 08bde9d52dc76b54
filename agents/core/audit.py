"""record(): one line in the audit log. Never memory text, never a secret."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from agents.core.actors import Actor
from agents.models import AuditEvent


def record(
    *, actor: Actor, action: str, target: str = "", agent_slug: str = "", detail: dict[str, Any] | None = None
) -> None:
    """`action` is `<thing>.<verb>`: `agent.create`, `key.revoke`, `search.denied`."""
    AuditEvent.objects.create(
        actor=actor.name[:200],
        address=actor.address[:64],
        action=action,
        target=target[:200],
        agent_slug=agent_slug,
        detail=detail or {},
    )


def prune_audit() -> int:
    """Forget what is older than the owner keeps it: denials first, then changes. Returns how many lines went."""
    now = timezone.now()
    denials = AuditEvent.objects.filter(
        action__endswith=".denied", at__lt=now - timedelta(days=settings.MEMORY_AUDIT_DENIED_DAYS)
    )
    changes = AuditEvent.objects.filter(at__lt=now - timedelta(days=settings.MEMORY_AUDIT_DAYS))
    return denials.delete()[0] + changes.delete()[0]
