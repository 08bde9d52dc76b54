"""copy_agent(): all rows of one agent out of a backup's control database, under new numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers import serialize
from django.db import models

from agents.backup.tables import insert
from agents.models import (
    ActivityHour,
    Agent,
    AgentRole,
    Change,
    Collection,
    CollectionShare,
    Embedding,
    FileUse,
    Flush,
    IndexSnapshot,
    RecallEvent,
    RecallToggle,
    RejectedLine,
    Run,
    ScopeRule,
    Tombstone,
    Transcript,
    TranscriptMessage,
    UsedEntry,
    WorkspaceWrite,
    WrittenLine,
)

COPIED: dict[type[models.Model], str] = {
    Collection: "agent",
    ScopeRule: "agent",
    WrittenLine: "agent",
    RejectedLine: "agent",
    WorkspaceWrite: "agent",
    Tombstone: "agent",
    Transcript: "agent",
    TranscriptMessage: "transcript__agent",
    Flush: "agent",
    UsedEntry: "agent",
    FileUse: "agent",
    RecallToggle: "agent",
    RecallEvent: "agent",
}
"""Table → the way from its rows to the agent; a table comes after those that it points to."""

POINTED_AT = (Collection, Transcript)
"""Whose new numbers others need; the rows of all other tables go in many at a time."""

LEFT = (Run, IndexSnapshot, Change, Embedding, ActivityHour)
"""Of the work of then, which is over."""

LINKED = (CollectionShare, AgentRole)
"""Between this agent and others, or people: kept where the other side is still there."""

_BATCH = 200


def copy_agent(slug: str, source: str) -> Agent:
    """There is no agent of this name now. The caller holds the transaction."""
    then = Agent.objects.using(source).get(slug=slug)
    agent = Agent.objects.using(source).get(slug=slug)
    _insert(agent)
    numbers: dict[tuple[type[models.Model], Any], Any] = {(Agent, then.pk): agent.pk}
    for model, way in COPIED.items():
        for rows in _batches(model, source, {way: then}):
            for row in rows:
                _renumber(row, numbers)
            if model not in POINTED_AT:
                insert(model, rows, "default", numbered=False)
                continue
            for row in rows:
                number = row.pk
                _insert(row)
                numbers[model, number] = row.pk
    _link(then, agent, source)
    return agent


def rows_as_fixture(agent: Agent) -> str:
    """The rows of an agent that is about to be replaced, as `manage.py loaddata` reads them."""
    rows: list[models.Model] = [agent]
    for model, way in COPIED.items():
        rows += model._default_manager.filter(**{way: agent}).order_by("pk")
    return str(serialize("json", rows, indent=1))


def _batches(model: type[models.Model], source: str, wanted: dict[str, Any]) -> Iterator[list[models.Model]]:
    rows = model._default_manager.using(source).filter(**wanted).order_by("pk").iterator(_BATCH)
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _renumber(row: models.Model, numbers: dict[tuple[type[models.Model], Any], Any]) -> None:
    for field in row._meta.concrete_fields:
        if isinstance(field, models.ForeignKey):
            pointed = getattr(row, field.attname)
            if pointed is not None:
                setattr(row, field.attname, numbers[field.related_model, pointed])


def _insert(row: models.Model) -> None:
    """As it is: `save()` would write the time of now into fields that say when something was."""
    row.pk = None
    row._state.adding = True
    row.save_base(raw=True, force_insert=True, using="default")


def _link(then: Agent, agent: Agent, source: str) -> None:
    for role in AgentRole.objects.using(source).filter(agent=then).select_related("user"):
        user = User.objects.filter(username=role.user.username).first()
        if user is not None:
            AgentRole.objects.create(user=user, agent=agent, role=role.role)
    own = CollectionShare.objects.using(source).filter(collection__agent=then)
    for share in own:
        reader = Agent.objects.filter(slug=share.reader.slug).first()
        if reader is not None:
            CollectionShare.objects.create(collection=agent.collections.get(name=share.collection.name), reader=reader)
    for share in CollectionShare.objects.using(source).filter(reader=then):
        shared = Collection.objects.filter(agent__slug=share.collection.agent.slug, name=share.collection.name).first()
        if shared is not None:
            CollectionShare.objects.create(collection=shared, reader=agent)
