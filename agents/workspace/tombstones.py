"""Tombstones: what was forgotten stays forgotten, also by work that was under way at the time."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from agents.access.sessions import canonical
from agents.core.errors import Conflict
from agents.models import Agent, Tombstone
from search.sentences import sentence

KEEP = timedelta(days=30)
"""No job lives longer; after that a tombstone has nothing left to hold back."""


def bury(agent: Agent, *, session_key: str = "", path: str = "", step: str = Tombstone.Step.DONE) -> Tombstone:
    """From now on, work that began earlier may not write what came from this session, or to this path.

    With a `step` the forgetting itself is still to be done, and whatever starts next finishes it.
    """
    kind, name = (Tombstone.Kind.SESSION, canonical(session_key)) if session_key else (Tombstone.Kind.PATH, path)
    facts = {"at": timezone.now(), "step": step, "name": name if step else "", "problem": ""}
    return Tombstone.objects.update_or_create(agent=agent, kind=kind, digest=_digest(name), defaults=facts)[0]


def unfinished(agent: Agent) -> QuerySet[Tombstone]:
    """Forgettings that were cut short."""
    return Tombstone.objects.filter(agent=agent).exclude(step=Tombstone.Step.DONE).order_by("at")


def forgotten_since(agent: Agent, begun_at: datetime, *, session_key: str = "", path: str = "") -> bool:
    """Whether the session or the path was forgotten after `begun_at`."""
    digests = [_digest(name) for name in (canonical(session_key), path) if name]
    return Tombstone.objects.filter(agent=agent, digest__in=digests, at__gte=begun_at).exists()


def refuse_forgotten(agent: Agent, *, path: str, session_key: str, begun_at: datetime | None) -> None:
    """Raises `Conflict` with the code `forgotten`. The workspace's lock is held: no forgetting is under way."""
    if begun_at is not None and forgotten_since(agent, begun_at, session_key=session_key, path=path):
        raise Conflict(
            sentence("What this text came from was forgotten while it was being worked on; it is not written."),
            hint=sentence("Start again from what is there now."),
            code="forgotten",
        )


def prune_tombstones() -> int:
    return Tombstone.objects.filter(step=Tombstone.Step.DONE, at__lt=timezone.now() - KEEP).delete()[0]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
