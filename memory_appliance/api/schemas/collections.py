"""Collections as the API takes and shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from agents.indexes.specs import default_origin, shared_name
from agents.models import Collection, CollectionShare
from memory_appliance.api.schemas.base import Answer, Body
from search.spec import Origin

Kind = Literal["memory", "custom", "sessions"]


class NewCollection(Body):
    name: str = Field(description="Lower-case letters, digits and inner hyphens.", examples=["house-notes"])
    path: str = Field(description="Absolute folder, inside the data folder or MEMORY_ALLOWED_ROOTS.")
    pattern: str = "**/*.md"
    ignore: list[str] = Field(default_factory=list, description="Globs of files to leave out.")
    context: str = Field("", description="A sentence on what these files are.")
    kind: Kind = "custom"
    include_by_default: bool = True
    origin: Origin | None = Field(None, description="Who stands behind the files; null: by the kind.")
    shared_with: list[str] = Field(
        default_factory=list, max_length=1000, description="Slugs of agents that may read it too.", examples=[["kids"]]
    )


class CollectionChange(Body):
    """What is left out stays as it is; an empty `context` takes it away."""

    emptied = frozenset({"context"})

    path: str | None = None
    pattern: str | None = None
    ignore: list[str] | None = None
    context: str | None = None
    include_by_default: bool | None = None
    origin: Origin | None = None
    shared_with: list[str] | None = Field(None, max_length=1000)


class CollectionAnswer(Answer):
    name: str
    path: str
    pattern: str
    ignore: list[str]
    context: str
    kind: str
    include_by_default: bool
    origin: Origin
    shared_with: list[str] = Field(description="Agents that read it too, as far as this key may know of them.")
    shared_by: str | None = Field(description="The agent that owns it, when it is only shared with this one.")
    created_at: datetime
    modified_at: datetime


class CollectionList(Answer):
    items: list[CollectionAnswer]


def collection_answer(collection: Collection, shared_with: list[str]) -> CollectionAnswer:
    return CollectionAnswer(
        name=collection.name,
        path=collection.path,
        pattern=collection.pattern,
        ignore=collection.ignore,
        context=collection.context,
        kind=collection.kind,
        include_by_default=collection.include_by_default,
        origin=default_origin(collection),
        shared_with=shared_with,
        shared_by=None,
        created_at=collection.created_at,
        modified_at=collection.modified_at,
    )


def shared_answer(share: CollectionShare) -> CollectionAnswer:
    """A share from the reader's side: where the files lie and who else reads them is the owner's affair."""
    answer = collection_answer(share.collection, [])
    changes = {"name": shared_name(share), "path": "", "ignore": [], "shared_by": share.collection.agent.slug}
    return answer.model_copy(update=changes)
