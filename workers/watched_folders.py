"""Which folders on disk concern which agents: from the control database, and only those that are there now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path, PurePath

from agents.models import Collection, CollectionShare
from search.documents.contain import PathNotAllowed, open_folder
from search.documents.leftovers import leftover
from search.documents.patterns import skipped_folder

Key = tuple[str, int]
"""A folder, and whether it is watched with everything below it."""


@dataclass(frozen=True, slots=True)
class Folders:
    """`flat`: only the files in the folder itself matter; `deep`: everything below it too. Values are agents' ids."""

    flat: Mapping[str, frozenset[int]] = field(default_factory=dict)
    deep: Mapping[str, frozenset[int]] = field(default_factory=dict)
    inodes: Mapping[str, int] = field(default_factory=dict)

    def agents_of(self, path: str) -> frozenset[int]:
        """The agents whose index a change at `path` may concern; nobody's when it is hidden or ignored."""
        changed = PurePath(path)
        found = set(self.flat.get(str(changed.parent), ()))
        for folder in (changed, *changed.parents):
            agents = self.deep.get(str(folder))
            if agents and not _ignored(changed.relative_to(folder)):
                found |= agents
        return frozenset(found)

    def known(self) -> dict[Key, int]:
        """Each folder, apart as flat and as deep, with the number that tells it from one made later in its place."""
        return {(path, deep): self.inodes[path] for deep, kind in enumerate((self.flat, self.deep)) for path in kind}

    def agents_at(self, key: Key) -> frozenset[int]:
        path, deep = key
        return (self.deep if deep else self.flat).get(path, frozenset())

    def gained(self, before: Folders) -> frozenset[int]:
        """Agents with a folder that was not theirs, or not there, before."""
        pairs = ((self.flat, before.flat), (self.deep, before.deep))
        return frozenset().union(
            *(agents - then.get(path, frozenset()) for now, then in pairs for path, agents in now.items())
        )

    def __contains__(self, path: str) -> bool:
        return path in self.flat or path in self.deep

    def __len__(self) -> int:
        return len({*self.flat, *self.deep})

    def agents(self) -> frozenset[int]:
        return frozenset().union(*self.flat.values(), *self.deep.values())


def _ignored(below: PurePath) -> bool:
    return any(map(skipped_folder, below.parts)) or leftover(below.name)


def existing_folders() -> Folders:
    """The folders of all agents, in two queries and one look at each folder."""
    flat: dict[str, set[int]] = {}
    deep: dict[str, set[int]] = {}
    own = Collection.objects.values_list("path", "kind", "agent_id")
    shared = CollectionShare.objects.values_list("collection__path", "collection__kind", "reader_id")
    for path, kind, agent in chain(own, shared):
        if not isinstance(path, str):  # a row of bytes is no folder
            continue
        if kind == Collection.Kind.MEMORY:
            # Beside memory/ a workspace may hold anything, also what nobody wants to watch.
            flat.setdefault(path, set()).add(agent)
            deep.setdefault(os.path.join(path, "memory"), set()).add(agent)  # noqa: PTH118 - thousands, often
        else:
            deep.setdefault(path, set()).add(agent)
    inodes = {path: inode for path in {*flat, *deep} if (inode := _inode(path)) is not None}
    there = [{path: frozenset(kind[path]) for path in kind if path in inodes} for kind in (flat, deep)]
    return Folders(there[0], there[1], inodes)


def _inode(path: str) -> int | None:
    """None where there is no folder, or only through a symlink: scanning does not follow it, so nor does watching.

    One folder that may not be entered must not end the watching of all.
    """
    try:
        folder = open_folder(Path(path))
    except (OSError, ValueError, PathNotAllowed):
        return None
    try:
        return os.fstat(folder).st_ino
    finally:
        os.close(folder)
