"""The journal of writes: a row and the kept copies before the file is touched, so that a crash leaves no doubt."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from agents.access.sessions import canonical
from agents.core.actors import Actor
from agents.core.errors import Conflict, Invalid, RuleError, WorkspaceUnwritable
from agents.core.quota import room_for
from agents.locking.locks import fence
from agents.models import Agent, WorkspaceWrite
from agents.servers.generations import note
from agents.workspace import disk, objects
from agents.workspace.reading import digest_of
from search.documents.contain import PathNotAllowed
from search.sentences import ended, sentence

logger = logging.getLogger(__name__)

OUTSIDE = "edited on disk"
"""Who made a content that the appliance found and did not write."""
DISPLACED = "displaced"
"""The action of a content that somebody saved in the moment of a write, and that is not what the file holds now."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def begin(
    agent: Agent,
    actor: Actor,
    path: str,
    action: str,
    *,
    before: bytes | None,
    after: bytes | None,
    block: bytes | None = None,
    session_key: str = "",
    idempotency_key: str = "",
    request_digest: str = "",
) -> Iterator[WorkspaceWrite]:
    """The row of a write: there before the body runs, done after it, gone again when the body fails.

    The workspace's lock is held. `block` is what is appended; None for a write of the whole file. What is refused
    leaves no row and no copy.
    """
    with room_for(agent, len(after or b"") - len(before or b"")), _row(
        agent, path, before, after, block,
        action=action, actor=actor.name[:200], session_key=canonical(session_key), idempotency_key=idempotency_key,
        request_digest=request_digest,
    ) as row:  # fmt: skip
        yield row


@contextmanager
def _row(
    agent: Agent, path: str, before: bytes | None, after: bytes | None, block: bytes | None, **facts: str
) -> Iterator[WorkspaceWrite]:
    named = [data for data in (before, after, b"" if block is not None else None) if data is not None]
    fresh = {digest for digest in map(digest_of, named) if not objects.holds(agent.slug, digest)}
    row = WorkspaceWrite.objects.create(
        agent=agent,
        path=path,
        before=digest_of(before),
        after=digest_of(after),
        start=len(before or b"") if block is not None else 0,
        size=len(after or b""),
        **facts,
    )
    try:
        _keep(agent.slug, path, before, after, block)
        yield row
    except RuleError:
        row.delete()
        objects.drop(agent.slug, fresh, set())
        raise
    complete(row)


def complete(row: WorkspaceWrite) -> None:
    """The write is done: the file is on the disk, and every server's index has yet to read it. Raises `LockLost`."""
    fence()
    row.state = WorkspaceWrite.State.DONE
    with transaction.atomic():
        row.save()
        note(row.agent_id, [row.path])


def _keep(slug: str, path: str, before: bytes | None, after: bytes | None, block: bytes | None) -> None:
    try:
        if before is not None or block is not None:
            objects.keep(slug, before or b"")
        if block is not None:
            objects.keep_appended(slug, before or b"", block)
        elif after is not None:
            objects.keep(slug, after)
    except OSError as error:
        raise unwritable(path, error) from error


def keep_displaced(agent: Agent, path: str) -> disk.Keep:
    """For a content that a write took the name of, though it was not the one that was read: it becomes a version."""

    def keep(content: bytes) -> None:
        digest = objects.keep(agent.slug, content)
        logger.warning("%s of %s was saved while it was written; that content is a version now", path, agent.slug)
        WorkspaceWrite.objects.get_or_create(
            agent=agent, path=path, action=DISPLACED, after=digest, state=WorkspaceWrite.State.DONE,
            defaults={"actor": OUTSIDE, "size": len(content)},
        )  # fmt: skip

    return keep


@contextmanager
def writing(path: str) -> Iterator[None]:
    """Faults of the disk as refusals that say what to do."""
    try:
        yield
    except PathNotAllowed as error:
        raise Invalid(ended(error.message), hint=error.hint, field="path", code=error.code) from error
    except disk.KeepsChanging as error:
        raise Conflict(
            sentence("{path} is being replaced by somebody else again and again.", path=path),
            hint=sentence("Try again."),
            code="workspace_busy",
        ) from error
    except (FileExistsError, FileNotFoundError, disk.ChangedMeanwhile):
        raise
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: str, error: OSError) -> WorkspaceUnwritable:
    hint = sentence("Give the server's user the right to write in the workspace.")
    if error.errno in _FULL:
        hint = sentence("Free some disk space.")
    elif error.errno == errno.ENOTDIR:
        hint = sentence("Bring the folder back, or give the agent another workspace.")
    return WorkspaceUnwritable(
        sentence("{path} cannot be written: {strerror}. Nothing of it was stored.", path=path, strerror=error.strerror),
        hint=hint,
    )
