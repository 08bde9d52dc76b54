"""record(): one line in the audit log. Never memory text, never a secret."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.actors import Actor
from agents.models import AuditEvent

KEEP_DENIALS = timedelta(days=30)


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


def prune_denials() -> int:
    """Forget denied searches and reads of long ago; what people changed is kept. Returns how many went."""
    old = AuditEvent.objects.filter(action__endswith=".denied", at__lt=timezone.now() - KEEP_DENIALS)
    return old.delete()[0]
