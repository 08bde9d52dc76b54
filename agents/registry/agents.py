"""Create, change and delete agents; ask for updates and rebuilds of their indexes."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.access.scope import DEFAULT_SCOPE
from agents.access.sharing import want_update_of_all_readers
from agents.core.actors import Actor
from agents.core.agent_settings import changed_settings, held_default_settings, without_texts
from agents.core.apart import apart
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.core.paths import checked_folder, default_workspace, index_path
from agents.core.quota import count_again
from agents.core.text import clean_line
from agents.core.whose import whose_workspace
from agents.jobs.runs import request_run
from agents.locking.waiting import soon
from agents.models import Agent, ApiKey, Collection, Run, ScopeRule
from agents.models.agent import SLUG_PATTERN
from agents.registry.scope_rules import match_json
from search.documents.conversion.kept import FOLDER_SUFFIX
from search.errors import IndexBusy, IndexUnavailable
from search.index.rebuild import remove_index
from search.sentences import sentence

INDEX_SECONDS = 5.0

logger = logging.getLogger(__name__)


def create_agent(
    *,
    actor: Actor,
    slug: str,
    name: str = "",
    workspace: str | None = None,
    timezone: str = "UTC",
    settings: dict[str, Any] | None = None,
) -> Agent:
    """An agent with its workspace folder, its `memory` collection and the default scope rules.

    Raises `Invalid` for a slug, folder, time zone or setting that cannot be used, `Conflict` for a slug in use.
    """
    if not re.match(SLUG_PATTERN, slug):
        raise Invalid(
            sentence("A slug has 1 to 63 lower-case letters, digits and inner hyphens."),
            hint=sentence("Use something like house-notes."),
            field="slug",
        )
    if Agent.objects.filter(slug=slug).exists():
        raise _taken(slug)
    folder = checked_folder(str(default_workspace(slug)) if workspace is None else workspace, field="workspace")
    _refuse_others_workspace(folder, slug)
    _refuse_old_index(slug)
    agent = Agent(
        slug=slug,
        name=clean_line(name, field="name", longest=200),
        workspace=str(folder),
        timezone=_known_timezone(timezone),
        settings=changed_settings({}, settings or {}).stored(),
        scope_default=DEFAULT_SCOPE.default,
    )
    _make_workspace(folder)
    try:
        with transaction.atomic():
            agent.defaults = held_default_settings()
            agent.save(force_insert=True)
            Collection.objects.create(
                agent=agent, name="memory", path=agent.workspace, kind=Collection.Kind.MEMORY, pattern="**/*.md"
            )
            ScopeRule.objects.bulk_create(
                ScopeRule(agent=agent, position=position, action=rule.action, match=match_json(rule.match))
                for position, rule in enumerate(DEFAULT_SCOPE.rules)
            )
            record(actor=actor, action="agent.create", target=slug, agent_slug=slug, detail={"workspace": str(folder)})
    except IntegrityError as error:
        raise _taken(slug) from error
    return agent


def update_agent(
    *,
    actor: Actor,
    agent: Agent,
    name: str | None = None,
    workspace: str | None = None,
    timezone: str | None = None,
    settings: dict[str, Any] | None = None,
) -> Agent:
    """Change what is given; None leaves a value as it is. Settings are merged, a null in them means the default."""
    changed: list[str] = []
    with transaction.atomic():
        agent = Agent.objects.select_for_update().get(pk=agent.pk)
        if name is not None:
            agent.name = clean_line(name, field="name", longest=200)
            changed.append("name")
        if timezone is not None:
            agent.timezone = _known_timezone(timezone)
            changed.append("timezone")
        if settings is not None:
            agent.settings = changed_settings(agent.settings, settings).stored()
            changed.append("settings")
        if workspace is not None:
            folder = checked_folder(workspace, field="workspace")
            _refuse_others_workspace(folder, agent.slug)
            _make_workspace(folder)
            agent.workspace = str(folder)
            agent.collections.filter(kind=Collection.Kind.MEMORY).update(path=agent.workspace)
            want_update_of_all_readers(agent)
            changed.append("workspace")
        if changed:
            agent.save(update_fields=[*changed, "modified_at"])
            count_again(agent)
            _want_update(agent)
            record(
                actor=actor,
                action="agent.update",
                target=agent.slug,
                agent_slug=agent.slug,
                detail={"changed": changed, **({"settings": without_texts(settings)} if settings else {})},
            )
    return agent


def delete_agent(*, actor: Actor, agent: Agent) -> None:
    """Remove the record, then the index; the Markdown stays where it is.

    A job that still writes the index notices that its run is gone and stops; when it takes longer than the lock's
    time limit, the file is left to `remove_orphan_indexes`.
    """
    slug = agent.slug
    with transaction.atomic():
        # A sweep that makes a run for it in this moment waits here, and then finds no agent.
        Agent.objects.select_for_update().filter(pk=agent.pk).first()
        want_update_of_all_readers(agent)
        agent.delete()
        _forget_in_keys(slug)
        record(actor=actor, action="agent.delete", target=slug, agent_slug=slug, detail={"kept": agent.workspace})
    try:
        _remove_index(slug)
    except (IndexBusy, IndexUnavailable) as error:
        logger.warning("index of a deleted agent is left for later", extra={"agent": slug, "reason": error.message})


def remove_orphan_indexes() -> list[str]:
    """Delete index files that belong to no agent (any more); returns their slugs."""
    known = set(Agent.objects.values_list("slug", flat=True))
    folder = index_path("_").parent
    left = {path.stem for pattern in ("*.sqlite", f"*{FOLDER_SUFFIX}") for path in folder.glob(pattern)}
    orphans = sorted(left - known)
    removed = []
    for slug in orphans:
        with apart(slug, "removing the index of an agent that is gone"):
            remove_index(index_path(slug))
            removed.append(slug)
    return removed


def request_update(*, actor: Actor, agent: Agent, reason: str = "request") -> Run:
    """Write down the wish for an update and make (or join) its run; dispatching it is the door's part."""
    with transaction.atomic():
        _want_update(agent)
        run = request_run(agent=agent, kind=Run.Kind.UPDATE, reason=reason)
        record(
            actor=actor, action="index.update", target=agent.slug, agent_slug=agent.slug, detail={"run": run.public_id}
        )
    return run


def request_rebuild(*, actor: Actor, agent: Agent, reason: str = "request") -> Run:
    """Make (or join) a run that builds the whole index again beside the live one."""
    with transaction.atomic():
        run = request_run(agent=agent, kind=Run.Kind.REBUILD, reason=reason)
        record(
            actor=actor, action="index.rebuild", target=agent.slug, agent_slug=agent.slug, detail={"run": run.public_id}
        )
    return run


def _forget_in_keys(slug: str) -> None:
    """A later agent of the same name must not open to the keys of this one."""
    for key in ApiKey.objects.exclude(agents="*"):
        if slug in key.agents:
            key.agents = [other for other in key.agents if other != slug]
            key.save(update_fields=["agents"])


def _want_update(agent: Agent) -> None:
    agent.update_requested_at = timezone.now()
    Agent.objects.filter(pk=agent.pk).update(update_requested_at=agent.update_requested_at)


def _refuse_others_workspace(folder: Path, slug: str) -> None:
    """What one agent remembers must not become another's by the way: that is what shared collections are for."""
    other = whose_workspace(folder, Agent.objects.exclude(slug=slug))
    if other:
        raise Conflict(
            sentence("The folder belongs to the workspace of agent {other}, or holds it.", other=other),
            hint=sentence("Give every agent a workspace of its own, and share folders as collections (shared_with)."),
            field="workspace",
        )


def _refuse_old_index(slug: str) -> None:
    """Whatever an earlier agent of this name left must be gone before the new one can be searched."""
    if not index_path(slug).exists():
        return
    try:
        _remove_index(slug)
    except IndexBusy as error:
        raise Conflict(
            sentence("The index of an earlier agent {slug} is still in use.", slug=slug),
            hint=error.hint,
            field="slug",
            code="index_busy",
        ) from error


def _remove_index(slug: str) -> None:
    """Raises `IndexBusy` when a job goes on writing it."""
    soon(slug, INDEX_SECONDS, lambda: remove_index(index_path(slug), lock_timeout=0.0))


def _taken(slug: str) -> Conflict:
    return Conflict(
        sentence("There is an agent {slug} already.", slug=slug),
        hint=sentence("Choose another slug."),
        field="slug",
        code="agent_exists",
    )


def _known_timezone(name: str) -> str:
    if name not in available_timezones():
        raise Invalid(
            sentence("There is no time zone {name!r}.", name=name),
            hint=sentence("Use a name such as Europe/Berlin."),
            field="timezone",
        )
    return name


def _make_workspace(folder: Path) -> None:
    try:
        (folder / "memory").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Invalid(
            sentence("The workspace {folder} cannot be made: {strerror}.", folder=folder, strerror=error.strerror),
            hint=sentence("Give the server's user the right to write there."),
            field="workspace",
        ) from error
