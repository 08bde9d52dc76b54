"""note(): an agent or its owner writes something down: into today's log, the curated files, or a topic file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.access.provenance import origin_of_write
from agents.access.sessions import Session
from agents.context import near_limits
from agents.core.actors import Caller
from agents.core.agent_settings import enabled_settings
from agents.core.errors import Invalid
from agents.core.telemetry import telemetry
from agents.models import Agent
from agents.workspace import Appended, append, index_now
from agents.workspace.block import CURATED
from agents.workspace.places import checked_place, daily_path, today
from search.sentences import sentence

TARGETS = {"memory": "MEMORY.md", "user": "USER.md"}
MAX_KEY_CHARS = 200


@dataclass(frozen=True, slots=True)
class Noted:
    """`indexed` is False when the words are found only after the next update, seconds later."""

    appended: Appended
    indexed: bool
    warnings: tuple[str, ...] = ()


def note(
    *,
    agent: Agent,
    caller: Caller,
    text: str,
    target: str = "daily",
    importance: int | None = None,
    triggers: Sequence[str] = (),
    idempotency_key: str = "",
    session: Session | None = None,
    now: datetime | None = None,
) -> Noted:
    """Append `text` to `target`: `daily`, `memory`, `user`, or a path such as memory/projects.md.

    The day is that of the agent's time zone. What is there already in the same or nearly the same words is not
    written again but reported as a duplicate, with its place. Raises `MemoryDisabled`, `Invalid`, `Conflict` and
    `WorkspaceUnwritable`.
    """
    enabled_settings(agent)
    if len(idempotency_key) > MAX_KEY_CHARS:
        raise Invalid(
            sentence("The idempotency key has more than {max_key_chars} characters.", max_key_chars=MAX_KEY_CHARS),
            hint=sentence("Use a UUID."),
            field="idempotency_key",
        )
    day = today(agent, now)
    path = daily_path(day) if target == "daily" else TARGETS.get(target) or _topic(target)
    appended = append(
        agent=agent,
        actor=caller.actor,
        path=path,
        text=text,
        origin=origin_of_write(caller, session),
        importance=importance,
        triggers=triggers,
        heading=f"# {day.isoformat()}" if target == "daily" else "",
        idempotency_key=idempotency_key,
        session_key=(session.key or "") if session else "",
        index=False,
    )
    telemetry().noted(duplicate=appended.duplicate)
    indexed = appended.duplicate or index_now(agent, [appended.path])
    warnings = near_limits(agent) if path in CURATED else []
    if triggers and path not in CURATED:
        warnings.append(sentence("Triggers are written, but they act only in MEMORY.md and USER.md."))
    return Noted(appended, indexed, tuple(warnings))


def _topic(target: str) -> str:
    path = checked_place(target, field="target")
    if path == "DREAMS.md":
        raise Invalid(
            sentence("DREAMS.md is the diary of the nightly consolidation."),
            hint=sentence("Use memory or daily."),
            field="target",
            code="path_not_allowed",
        )
    return path
