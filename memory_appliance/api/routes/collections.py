"""/agents/{slug}/collections: the folders of Markdown that belong to an agent, and those that others share with it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpRequest
from ninja import Router, Status

from agents.access.secrets import sees, visible_agents
from agents.access.sharing import leave_share, share_collection
from agents.core.paths import in_workspace
from agents.models import Agent, Collection
from agents.registry import collections, selectors
from memory_appliance.api.auth import ADMIN, actor_of, agent_of, key_of, require_fleet_key
from memory_appliance.api.schemas.collections import (
    CollectionAnswer,
    CollectionChange,
    CollectionList,
    NewCollection,
    collection_answer,
    shared_answer,
)

router = Router(tags=["collections"], auth=ADMIN)


@router.get("/{slug}/collections", response=CollectionList, operation_id="list_collections")
def list_collections(request: HttpRequest, slug: str) -> CollectionList:
    """The agent's own first, then those that other agents share with it (`<owner>.<collection>`, read-only)."""
    agent = agent_of(request, slug)
    own = [_answer(request, collection) for collection in selectors.list_collections(agent)]
    return CollectionList(items=[*own, *map(shared_answer, agent.shared_in.all())])


@router.post("/{slug}/collections", response={201: CollectionAnswer}, operation_id="create_collection")
def create_collection(request: HttpRequest, slug: str, payload: NewCollection) -> Status[CollectionAnswer]:
    """Add a folder. A key for single agents may only add folders inside that agent's own workspace."""
    agent = agent_of(request, slug)
    _require_own_folder(request, agent, payload.path)
    values = payload.model_dump(exclude={"shared_with", "origin"})
    with transaction.atomic():
        collection = collections.create_collection(
            actor=actor_of(request), agent=agent, origin=payload.origin or "", **values
        )
        _share(request, collection, payload.shared_with)
    return Status(201, _answer(request, collection))


@router.patch("/{slug}/collections/{name}", response=CollectionAnswer, operation_id="change_collection")
def change_collection(request: HttpRequest, slug: str, name: str, payload: CollectionChange) -> CollectionAnswer:
    """`shared_with` names all agents that may read it; those left out lose it at once."""
    agent = agent_of(request, slug)
    collection = selectors.get_collection(agent, name)
    if payload.path is not None:
        _require_own_folder(request, agent, payload.path)
    changes: dict[str, Any] = payload.model_dump(exclude_none=True, exclude={"shared_with"})
    with transaction.atomic():
        collection = collections.update_collection(actor=actor_of(request), collection=collection, **changes)
        if payload.shared_with is not None:
            _share(request, collection, payload.shared_with)
    return _answer(request, collection)


@router.delete("/{slug}/collections/{name}", response={204: None}, operation_id="delete_collection")
def delete_collection(request: HttpRequest, slug: str, name: str) -> Status[None]:
    """Take the folder out of the index; its files stay. A shared one is given back to its owner alone."""
    agent = agent_of(request, slug)
    share = selectors.get_share(agent, name)
    if share is not None:
        leave_share(actor=actor_of(request), share=share)
    else:
        collections.delete_collection(actor=actor_of(request), collection=selectors.get_collection(agent, name))
    return Status(204, None)


def _answer(request: HttpRequest, collection: Collection) -> CollectionAnswer:
    readers = [agent.slug for agent in selectors.shared_with(collection) if sees(key_of(request), agent.slug)]
    return collection_answer(collection, readers)


def _share(request: HttpRequest, collection: Collection, slugs: list[str]) -> None:
    """Agents that the key is not for do not exist for it: it can neither give them a share nor take theirs away."""
    share_collection(
        actor=actor_of(request), collection=collection, readers=set(slugs), known=visible_agents(key_of(request))
    )


def _require_own_folder(request: HttpRequest, agent: Agent, path: str) -> None:
    """Otherwise an admin of one agent could read another agent's folder by adding it to their own."""
    if key_of(request).agents != "*" and not in_workspace(agent.workspace, path):
        require_fleet_key(request)
