"""The files of a workspace as people work with them: read, save, look at earlier versions, restore one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from agents.access.provenance import origin_of_write
from agents.core.actors import Actor, Caller
from agents.core.audit import record
from agents.core.errors import NotFound
from agents.memory.opening import gate
from agents.memory.reads import Denied
from agents.models import Agent, WorkspaceWrite
from agents.workspace import Content, Replaced, objects, read_content, replace
from agents.workspace.journal import OUTSIDE
from agents.workspace.places import own_place
from agents.workspace.reading import digest_of, read_bytes
from search.citations import cited_lines
from search.documents.lines import decode
from search.sentences import sentence

MAX_VERSIONS = 500

_KEEPS = Q(state=WorkspaceWrite.State.DONE) & ~Q(action__in=("duplicate", "block"))
"""Writes that made or replaced a content."""


@dataclass(frozen=True, slots=True)
class Version:
    """One content the file has had. `version` is its SHA-256, by which it is restored.

    `at` is when it was written; for a content made outside the appliance, when it was last seen. `restorable` is
    False for the content on disk of which no copy was needed yet.
    """

    version: str
    at: datetime | None
    actor: str
    action: str
    size: int
    current: bool
    restorable: bool


@dataclass(frozen=True, slots=True)
class ChangedFile:
    path: str
    last: datetime


def read_file(*, agent: Agent, caller: Caller, path: str) -> Content | Denied:
    """The whole file, for its owner, named by path or citation. Raises `Invalid` for what is no place for memory."""
    decision = gate(agent, caller, None, "file")
    return read_content(agent, cited_lines(path)[0]) if decision.allowed else Denied(decision)


def save_file(*, agent: Agent, caller: Caller, path: str, text: str, expected_hash: str) -> Replaced:
    """A person's edit: only over the version that was read. Raises `Conflict` with the code `file_changed`."""
    saved = replace(
        agent=agent,
        actor=caller.actor,
        path=path,
        text=text,
        expected_hash=expected_hash,
        origin=origin_of_write(caller, None),
    )
    if saved.changed:
        record(actor=caller.actor, action="file.save", target=path, agent_slug=agent.slug, detail={"hash": saved.hash})
    return saved


def versions(*, agent: Agent, caller: Caller, path: str, limit: int = 100) -> tuple[Version, ...] | Denied:
    """What the file has held, newest first. Every content that a write of the appliance replaced is among it."""
    decision = gate(agent, caller, None, "file")
    if not decision.allowed:
        return Denied(decision)
    path = own_place(agent, cited_lines(path)[0])
    now = read_content(agent, path)
    rows = list(_writes(agent, path)[: min(limit, MAX_VERSIONS)])
    found: list[Version] = []
    if now.exists and (not rows or rows[0].after != now.hash):
        found.append(Version(now.hash, None, OUTSIDE, "edit", now.size, True, _kept(agent, path, now.hash)))
    for place, row in enumerate(rows):
        if row.after:
            current = not found and row.after == now.hash
            found.append(Version(row.after, row.at, row.actor, row.action, row.size, current, True))
        older = rows[place + 1] if place + 1 < len(rows) else None
        if row.before and (older is None or older.after != row.before):
            size = objects.size_of(agent.slug, row.before)
            found.append(Version(row.before, row.at, OUTSIDE, "edit", size or 0, False, size is not None))
    return tuple(found[:limit])


def version_text(*, agent: Agent, caller: Caller, path: str, version: str) -> str | Denied:
    """What the file held in this version. Raises `NotFound` for one that it never had."""
    decision = gate(agent, caller, None, "file")
    if not decision.allowed:
        return Denied(decision)
    path = own_place(agent, path)
    return decode(_load(agent, path, version))[0]


def changed_files(agent: Agent, *, limit: int) -> tuple[ChangedFile, ...]:
    """The files that have versions, the one that was written last first."""
    rows = WorkspaceWrite.objects.filter(_KEEPS, agent=agent).order_by().values("path").annotate(last=Max("at"))
    return tuple(ChangedFile(row["path"], row["last"]) for row in rows.order_by("-last", "path")[:limit])


def has_versions() -> Exists:
    """An annotation of agents: whether one of their files has versions."""
    return Exists(WorkspaceWrite.objects.filter(_KEEPS, agent=OuterRef("pk")))


def restore(*, agent: Agent, actor: Actor, path: str, version: str) -> Replaced:
    """The file as it was in this version; what it holds now becomes a version itself. Lines keep their origins.

    Raises `NotFound` for a version that this file never had, `Conflict` when somebody saves it in the same moment.
    """
    path = own_place(agent, path)
    data = _load(agent, path, version)
    restored = replace(
        agent=agent,
        actor=actor,
        path=path,
        text=data,
        expected_hash=digest_of(read_bytes(agent, path)),
        origin=None,
        action="restore",
    )
    record(actor=actor, action="file.restore", target=path, agent_slug=agent.slug, detail={"version": version})
    return restored


def remove_orphan_histories() -> list[str]:
    """Delete the kept copies of agents that are gone; returns their slugs."""
    known = set(Agent.objects.values_list("slug", flat=True))
    orphans = sorted({folder.name for folder in objects.folders()} - known)
    for slug in orphans:
        objects.remove_all(slug)
    return orphans


def _load(agent: Agent, path: str, version: str) -> bytes:
    if not _kept(agent, path, version):
        raise NotFound(
            sentence("{path} has no version {version!r}.", path=path, version=version[:64]),
            hint=sentence("GET …/files/history lists them."),
        )
    return objects.load(agent.slug, version)


def _kept(agent: Agent, path: str, version: str) -> bool:
    rows = _writes(agent, path)
    return bool(version) and (rows.filter(after=version).exists() or rows.filter(before=version).exists())


def _writes(agent: Agent, path: str) -> QuerySet[WorkspaceWrite]:
    return WorkspaceWrite.objects.filter(_KEEPS, agent=agent, path=path)
