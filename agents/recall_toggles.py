"""Recall toggles: an agent's recall on or off for one chat or for all of them; they survive restarts."""

from __future__ import annotations

from agents.actors import Actor
from agents.audit import record
from agents.models import Agent, RecallToggle
from agents.recall_events import session_digest
from agents.sessions import Session


def set_recall_toggle(*, actor: Actor, agent: Agent, session: Session | None, enabled: bool) -> RecallToggle:
    """Without a session key: for all chats of the agent; what single chats chose stays as it is."""
    digest = session_digest(session)
    toggle, _ = RecallToggle.objects.update_or_create(agent=agent, session=digest, defaults={"enabled": enabled})
    record(
        actor=actor,
        action="recall.toggle",
        target=digest[:12] or "all chats",
        agent_slug=agent.slug,
        detail={"enabled": enabled},
    )
    return toggle


def recall_toggled_on(agent: Agent, session: Session | None) -> bool:
    """Both the agent's own switch and the chat's must be on; each is until somebody turns it off."""
    digests = {"", session_digest(session)}
    return not RecallToggle.objects.filter(agent=agent, session__in=digests, enabled=False).exists()
