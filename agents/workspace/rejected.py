"""refuse_rejected(): a line that a person rejected is not written again, unless its owner writes it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from agents.core.actors import Actor
from agents.core.errors import Conflict
from agents.models import Agent, RejectedLine
from agents.workspace.duplicates import line_key
from search.documents.origin import MIN_LETTERS
from search.sentences import sentence

REJECTED = "rejected"
"""The code of the refusal."""


def refuse_rejected(agent: Agent, lines: Iterable[str], actor: Actor) -> None:
    """Raises `Conflict`. A person who writes a rejected line has changed their mind; a program's key has none."""
    found = agent.rejected_lines.filter(digest__in=_digests(lines))
    if actor.is_person:
        found.delete()
    elif found.exists():
        raise Conflict(
            sentence("A person has rejected this line, so it is not written again."),
            hint=sentence("Only the owner can write it."),
            code=REJECTED,
        )


def reject_lines(agent: Agent, lines: Iterable[str]) -> None:
    RejectedLine.objects.bulk_create(
        [RejectedLine(agent=agent, digest=digest) for digest in _digests(lines)], ignore_conflicts=True
    )


def _digests(lines: Iterable[str]) -> list[bytes]:
    keys = {key for line in lines if sum(map(str.isalnum, key := line_key(line))) >= MIN_LETTERS}
    return [hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:16] for key in sorted(keys)]
