"""Recall toggles: an agent's recall on or off for one chat or for all of them; they survive restarts."""

from __future__ import annotations

from django.db.models import Q

from agents.access.sessions import Session
from agents.core.actors import Actor
from agents.core.audit import record
from agents.memory.recall_events import session_digest
from agents.models import Agent, RecallToggle


def set_recall_toggle(*, actor: Actor, agent: Agent, session: Session | None, enabled: bool) -> RecallToggle:
    """Without a session key: for all chats of the agent; what single chats chose stays as it is."""
    digest = session_digest(session)
    toggle, _ = RecallToggle.objects.update_or_create(
        agent=agent, session=digest, defaults={"enabled": enabled, "folded": False}
    )
    record(
        actor=actor,
        action="recall.toggle",
        target=digest[:12] or "all chats",
        agent_slug=agent.slug,
        detail={"enabled": enabled},
    )
    return toggle


def recall_toggled_on(agent: Agent, session: Session | None) -> bool:
    """Both the agent's own switch and the chat's must be on; each is until somebody turns it off.

    A choice of a time when keys had small letters alone counts for every chat that may be meant, until one has its own.
    """
    toggles = RecallToggle.objects.filter(agent=agent)
    if toggles.filter(session="", enabled=False).exists():
        return False
    old = Q(session=session_digest(session, folded=True), folded=True)
    chats = toggles.filter(Q(session=session_digest(session)) | old).exclude(session="")
    own = chats.order_by("folded").first()
    return own is None or own.enabled
