"""Which folders on disk concern which agents: from the control database, and only those that are there now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from agents.models import Agent, Collection
from agents.nodes.ownership import owned
from search.documents.patterns import IGNORED_FOLDERS


@dataclass(frozen=True, slots=True)
class Folders:
    """`flat`: only the files in the folder itself matter; `deep`: everything below it too. Values are agents' ids."""

    flat: Mapping[str, frozenset[int]] = field(default_factory=dict)
    deep: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def agents_of(self, path: str) -> frozenset[int]:
        """The agents whose index a change at `path` may concern; nobody's when it is hidden or ignored."""
        changed = PurePath(path)
        found = set(self.flat.get(str(changed.parent), ()))
        for folder, agents in self.deep.items():
            if changed.is_relative_to(folder) and not _ignored(changed.relative_to(folder)):
                found |= agents
        return frozenset(found)

    def __contains__(self, path: str) -> bool:
        return path in self.flat or path in self.deep

    def __len__(self) -> int:
        return len({*self.flat, *self.deep})

    def agents(self) -> frozenset[int]:
        return frozenset().union(*self.flat.values(), *self.deep.values())


def _ignored(below: PurePath) -> bool:
    return any(name.startswith(".") or name in IGNORED_FOLDERS for name in below.parts)


def existing_folders() -> Folders:
    """The folders of all agents of this node, in three queries and one look at each folder."""
    flat: dict[str, set[int]] = {}
    deep: dict[str, set[int]] = {}
    for agent in Agent.objects.filter(owned()).prefetch_related("collections", "shared_in"):
        for collection in (*agent.collections.all(), *(share.collection for share in agent.shared_in.all())):
            if collection.kind == Collection.Kind.MEMORY:
                # Beside memory/ a workspace may hold anything, also what nobody wants to watch.
                flat.setdefault(collection.path, set()).add(agent.pk)
                deep.setdefault(str(PurePath(collection.path, "memory")), set()).add(agent.pk)
            else:
                deep.setdefault(collection.path, set()).add(agent.pk)
    return Folders(_present(flat), _present(deep))


def _present(folders: Mapping[str, set[int]]) -> dict[str, frozenset[int]]:
    # A link is no folder of ours: scanning does not follow it, so it is not watched either.
    # os.path, not Path: one folder that may not be entered must not end the watching of all.
    there = (name for name in folders if os.path.isdir(name) and not os.path.islink(name))  # noqa: PTH112, PTH114
    return {name: frozenset(folders[name]) for name in there}
