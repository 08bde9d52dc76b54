"""/agents/{slug}/collections: the folders of Markdown that belong to an agent."""

from __future__ import annotations

import os
from pathlib import Path

from django.http import HttpRequest
from ninja import Router, Status

from agents import selectors, services
from agents.models import Agent
from memory_appliance.api.auth import ADMIN, actor_of, agent_of, key_of, require_fleet_key
from memory_appliance.api.schemas.collections import (
    CollectionAnswer,
    CollectionChange,
    CollectionList,
    NewCollection,
    collection_answer,
)

router = Router(tags=["collections"], auth=ADMIN)


@router.get("/{slug}/collections", response=CollectionList, operation_id="list_collections")
def list_collections(request: HttpRequest, slug: str) -> CollectionList:
    collections = selectors.list_collections(agent_of(request, slug))
    return CollectionList(items=[collection_answer(collection) for collection in collections])


@router.post("/{slug}/collections", response={201: CollectionAnswer}, operation_id="create_collection")
def create_collection(request: HttpRequest, slug: str, payload: NewCollection) -> Status[CollectionAnswer]:
    """Add a folder. A key for single agents may only add folders inside that agent's own workspace."""
    agent = agent_of(request, slug)
    _require_own_folder(request, agent, payload.path)
    collection = services.create_collection(actor=actor_of(request), agent=agent, **payload.model_dump())
    return Status(201, collection_answer(collection))


@router.patch("/{slug}/collections/{name}", response=CollectionAnswer, operation_id="change_collection")
def change_collection(request: HttpRequest, slug: str, name: str, payload: CollectionChange) -> CollectionAnswer:
    agent = agent_of(request, slug)
    collection = selectors.get_collection(agent, name)
    if payload.path is not None:
        _require_own_folder(request, agent, payload.path)
    changes = payload.model_dump(exclude_none=True)
    return collection_answer(services.update_collection(actor=actor_of(request), collection=collection, **changes))


@router.delete("/{slug}/collections/{name}", response={204: None}, operation_id="delete_collection")
def delete_collection(request: HttpRequest, slug: str, name: str) -> Status[None]:
    """Take the folder out of the index; its files stay. The built-in `memory` cannot be deleted."""
    collection = selectors.get_collection(agent_of(request, slug), name)
    services.delete_collection(actor=actor_of(request), collection=collection)
    return Status(204, None)


def _require_own_folder(request: HttpRequest, agent: Agent, path: str) -> None:
    """Otherwise an admin of one agent could read another agent's folder by adding it to their own."""
    own = not path.startswith("/") or Path(os.path.normpath(path)).is_relative_to(agent.workspace)
    if key_of(request).agents != "*" and not own:
        require_fleet_key(request)
