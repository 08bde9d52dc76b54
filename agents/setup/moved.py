"""follow_data_folder(): a data folder that was moved takes its workspaces and transcripts along.

Rows hold absolute folders. Where one that lay in its usual place is gone, and the same place in the data folder of
today is there, everything below the old data folder is meant to be below this one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from django.db import transaction

from agents.core.apart import apart
from agents.core.paths import data_dir
from agents.models import Agent, Collection
from search.documents.contain import is_folder


def follow_data_folder() -> int:
    """Point the rows of agents to where their folders are now; returns how many rows changed.

    Called at the start, before anything is served. A folder that is still where its row says is left alone.
    """
    now = data_dir().resolve()
    changed = 0
    for agent in Agent.objects.prefetch_related("collections"):
        with apart(agent.slug, "following the data folder"):
            changed += _follow(agent, now)
    return changed


def _follow(agent: Agent, now: Path) -> int:
    collections = list(agent.collections.all())
    old = next((root for root in _old_roots(agent, collections) if root != now), None)
    if old is None:
        return 0
    changed = 0
    with transaction.atomic():
        place = _moved(agent.workspace, old, now)
        if place:
            changed += Agent.objects.filter(pk=agent.pk).update(workspace=place)
        for collection in collections:
            place = _moved(collection.path, old, now)
            if place:
                changed += Collection.objects.filter(pk=collection.pk).update(path=place)
    return changed


def _old_roots(agent: Agent, collections: list[Collection]) -> Iterator[Path]:
    """Where the data folder was, as the usual places of the agent's folders tell."""
    usual = [(agent.workspace, Path("workspaces", agent.slug))]
    usual += [
        (collection.path, Path("transcripts", agent.slug, *rest))
        for collection in collections
        if collection.kind == Collection.Kind.SESSIONS
        for rest in ((), ("sessions",))
    ]
    for path, place in usual:
        if path.endswith(f"/{place}") and not os.path.lexists(path) and is_folder(data_dir() / place):
            yield Path(path.removesuffix(f"/{place}") or "/")


def _moved(path: str, old: Path, now: Path) -> str:
    """The same place below the data folder of today; "" for one that is not below the old one, or is still there."""
    if not Path(path).is_relative_to(old) or os.path.lexists(path):
        return ""
    return str(now / Path(path).relative_to(old))
