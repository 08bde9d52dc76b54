"""Create, change and delete an agent's collections; the built-in `memory` collection keeps its place."""

from __future__ import annotations

import re

from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.access.sharing import want_update_of_readers
from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.core.paths import checked_folder
from agents.core.text import clean_line
from agents.core.whose import whose_workspace
from agents.models import Agent, Collection
from search.documents.origin import TRUST
from search.documents.patterns import BadPattern, Globs
from search.sentences import sentence

NAME_PATTERN = r"^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\Z"
BUILT_IN = "memory"
MAX_COLLECTIONS = 100
MAX_IGNORES = 100


def create_collection(
    *,
    actor: Actor,
    agent: Agent,
    name: str,
    path: str,
    pattern: str = "**/*.md",
    ignore: list[str] | None = None,
    context: str = "",
    kind: str = Collection.Kind.CUSTOM,
    include_by_default: bool = True,
    origin: str = "",
) -> Collection:
    """A folder of Markdown for `agent`; a relative `path` is taken from its workspace. The folder may come later."""
    if not re.match(NAME_PATTERN, name):
        raise Invalid(
            sentence("A collection's name has 1 to 63 lower-case letters, digits, inner hyphens and underscores."),
            hint=sentence("Use something like house-notes."),
            field="name",
        )
    if agent.collections.count() >= MAX_COLLECTIONS:
        raise Conflict(
            sentence("An agent has at most {max_collections} collections.", max_collections=MAX_COLLECTIONS),
            hint=sentence("Delete one first."),
        )
    collection = draft_collection(agent=agent, path=path, pattern=pattern, ignore=ignore, kind=kind)
    collection.name = name
    collection.context = clean_line(context, field="context", longest=2000)
    collection.include_by_default = include_by_default
    collection.origin = _known_origin(origin)
    try:
        with transaction.atomic():
            if name == BUILT_IN or agent.collections.filter(name=name).exists():
                raise _taken(name)
            collection.save(force_insert=True)
            _changed(actor, collection, "collection.create", {"path": collection.path, "pattern": collection.pattern})
    except IntegrityError as error:
        raise _taken(name) from error
    return collection


def draft_collection(
    *, agent: Agent, path: str, pattern: str = "**/*.md", ignore: list[str] | None = None, kind: str = "custom"
) -> Collection:
    """What these values would take, not stored and without a name yet. Raises `Invalid` as the making does."""
    if kind not in (Collection.Kind.CUSTOM, Collection.Kind.SESSIONS):
        raise Invalid(
            sentence("The kind is neither custom nor sessions."),
            hint=sentence("Every agent has its memory."),
            field="kind",
        )
    return Collection(
        agent=agent,
        path=_folder(agent, path, kind),
        pattern=_glob(pattern, "pattern"),
        ignore=_globs(ignore or []),
        kind=kind,
    )


def update_collection(
    *,
    actor: Actor,
    collection: Collection,
    path: str | None = None,
    pattern: str | None = None,
    ignore: list[str] | None = None,
    context: str | None = None,
    include_by_default: bool | None = None,
    origin: str | None = None,
) -> Collection:
    """Change what is given; None leaves a value as it is. Name and kind never change."""
    if collection.kind == Collection.Kind.MEMORY and (path is not None or pattern is not None):
        raise Conflict(
            sentence("The memory collection's files are MEMORY.md, USER.md and memory/ in the agent's workspace."),
            hint=sentence("Change the agent's workspace, or add a collection."),
            field="path" if path is not None else "pattern",
        )
    changes: dict[str, object] = {}
    if path is not None:
        changes["path"] = _folder(collection.agent, path, collection.kind)
    if pattern is not None:
        changes["pattern"] = _glob(pattern, "pattern")
    if ignore is not None:
        changes["ignore"] = _globs(ignore)
    if context is not None:
        changes["context"] = clean_line(context, field="context", longest=2000)
    if include_by_default is not None:
        changes["include_by_default"] = include_by_default
    if origin is not None:
        changes["origin"] = _known_origin(origin)
    if changes:
        for name, value in changes.items():
            setattr(collection, name, value)
        with transaction.atomic():
            collection.save(update_fields=[*changes, "modified_at"])
            _changed(actor, collection, "collection.update", changes)
    return collection


def delete_collection(*, actor: Actor, collection: Collection) -> None:
    """Take the folder out of the index; its files stay. Raises `Conflict` for the built-in collection."""
    if collection.kind == Collection.Kind.MEMORY:
        raise Conflict(sentence("Every agent keeps its memory collection."), hint=sentence("Delete the agent instead."))
    with transaction.atomic():
        _changed(actor, collection, "collection.delete", {"kept": collection.path})
        collection.delete()


def _changed(actor: Actor, collection: Collection, action: str, detail: dict[str, object]) -> None:
    slug = collection.agent.slug
    Agent.objects.filter(pk=collection.agent_id).update(update_requested_at=timezone.now())
    if collection.pk is not None:
        want_update_of_readers(collection)
    record(actor=actor, action=action, target=f"{slug}/{collection.name}", agent_slug=slug, detail=detail)


def _taken(name: str) -> Conflict:
    return Conflict(
        sentence("There is a collection {name} already.", name=name),
        hint=sentence("Choose another name."),
        field="name",
        code="collection_exists",
    )


def _known_origin(origin: str) -> str:
    if origin and origin not in TRUST:
        raise Invalid(
            sentence("There is no origin {origin!r}.", origin=origin),
            hint=sentence("Origins are {trust}.", trust=", ".join(TRUST)),
            field="origin",
        )
    return origin


def _folder(agent: Agent, path: str, kind: str) -> str:
    relative = path and not path.startswith(("/", "~"))
    text = f"{agent.workspace}/{path}" if relative else path
    own = agent.slug if kind == Collection.Kind.SESSIONS else ""
    folder = checked_folder(text, field="path", transcripts_of=own)
    other = whose_workspace(folder, Agent.objects.exclude(pk=agent.pk))
    if other:
        raise Invalid(
            sentence("The folder belongs to the workspace of agent {other}, or holds it.", other=other),
            hint=sentence("Share a collection of that agent instead (shared_with)."),
            field="path",
            code="path_not_allowed",
        )
    return str(folder)


def _globs(patterns: list[str]) -> list[str]:
    if len(patterns) > MAX_IGNORES:
        raise Invalid(
            sentence("There are more than {max_ignores} patterns.", max_ignores=MAX_IGNORES),
            hint=sentence("Use broader ones."),
            field="ignore",
        )
    return [_glob(pattern, f"ignore.{index}") for index, pattern in enumerate(patterns)]


def _glob(pattern: str, field: str) -> str:
    """A pattern stays inside its folder. What it matches is the scan's affair, which opens .md files alone."""
    pattern = clean_line(pattern, field=field, longest=500, required=True)
    if pattern.startswith(("/", "~")) or "\\" in pattern or ".." in pattern.split("/"):
        raise Invalid(
            sentence("The pattern {pattern} would leave its folder.", pattern=pattern),
            hint=sentence("Write it relative, e.g. **/*.md."),
            field=field,
        )
    try:
        Globs([pattern])
    except BadPattern as error:
        raise Invalid(f"{error.message[:1].upper()}{error.message[1:]}.", hint=error.hint, field=field) from error
    return pattern
