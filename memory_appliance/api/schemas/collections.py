"""Collections as the API takes and shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from agents.models import Collection
from memory_appliance.api.schemas.base import Answer, Body

Kind = Literal["memory", "custom", "sessions"]


class NewCollection(Body):
    name: str = Field(description="Lower-case letters, digits and inner hyphens.", examples=["house-notes"])
    path: str = Field(description="Absolute folder, inside the data folder or MEMORY_ALLOWED_ROOTS.")
    pattern: str = "**/*.md"
    ignore: list[str] = Field(default_factory=list, description="Globs of files to leave out.")
    context: str = Field("", description="A sentence on what these files are.")
    kind: Kind = "custom"
    include_by_default: bool = True


class CollectionChange(Body):
    """What is left out stays as it is."""

    path: str | None = None
    pattern: str | None = None
    ignore: list[str] | None = None
    context: str | None = None
    include_by_default: bool | None = None


class CollectionAnswer(Answer):
    name: str
    path: str
    pattern: str
    ignore: list[str]
    context: str
    kind: str
    include_by_default: bool
    created_at: datetime
    modified_at: datetime


class CollectionList(Answer):
    items: list[CollectionAnswer]


def collection_answer(collection: Collection) -> CollectionAnswer:
    return CollectionAnswer(
        name=collection.name,
        path=collection.path,
        pattern=collection.pattern,
        ignore=collection.ignore,
        context=collection.context,
        kind=collection.kind,
        include_by_default=collection.include_by_default,
        created_at=collection.created_at,
        modified_at=collection.modified_at,
    )
