"""add_agent(): an agent from a name and a folder of notes, and what that folder would give it."""

from __future__ import annotations

import os
import re
from itertools import count, islice
from pathlib import Path
from typing import Literal

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from agents.core.actors import Actor
from agents.core.paths import PRIVATE_FOLDERS, checked_folder, data_dir
from agents.models import Agent
from agents.registry.agents import create_agent, request_update
from agents.registry.collections import create_collection
from agents.registry.preview import Preview, preview_of
from search.spec import MEMORY_PATTERNS, CollectionSpec

Use = Literal["read", "own"]
"""`read`: all its Markdown is searched and the agent writes elsewhere. `own`: it is the agent's own folder."""

NOTES = "notes"
MOST_SUGGESTED = 50


def add_agent(*, actor: Actor, name: str, folder: str = "", use: Use = "read", timezone: str = "UTC") -> Agent:
    """With its first update asked for. Without a folder it begins empty. Raises `Invalid` and `Conflict`."""
    root = str(checked_folder(folder, field="folder")) if folder else ""
    with transaction.atomic():
        agent = create_agent(
            actor=actor,
            slug=free_slug(name),
            name=name,
            workspace=root if root and use == "own" else None,
            timezone=timezone,
        )
        if root and use == "read":
            # Whoever points at a folder as "my notes" stands behind what is in it.
            create_collection(actor=actor, agent=agent, name=NOTES, path=root, origin="owner")
        request_update(actor=actor, agent=agent)
    return agent


def free_slug(name: str) -> str:
    """A slug that the name suggests and no agent has: `agent` for a name that has no Latin letters."""
    base = slugify(name)[:55].strip("-_").replace("_", "-") or "agent"
    base = re.sub(r"-{2,}", "-", base)
    taken = set(Agent.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(slug for number in count(1) if (slug := base if number == 1 else f"{base}-{number}") not in taken)


def preview_folder(folder: str, use: Use) -> Preview:
    """What an agent would find in the folder. Raises `Invalid` for one that it may not have."""
    root = checked_folder(folder, field="folder")
    return preview_of(CollectionSpec(NOTES, root, patterns=MEMORY_PATTERNS if use == "own" else ("**/*.md",)))


def looks_like_a_workspace(folder: str) -> bool:
    """Whether an agent has lived there already."""
    root = Path(folder)
    return (root / "MEMORY.md").is_file() or (root / "memory").is_dir()


def suggested_folders() -> list[str]:
    """Allowed roots and the folders right below them: some of what the form may be pointed at."""
    roots = [*map(str, settings.MEMORY_ALLOWED_ROOTS), str(data_dir() / "workspaces")]
    below = (path for root in roots for path in (root, *_below(root)))
    return list(islice(dict.fromkeys(below), MOST_SUGGESTED))


def _below(root: str) -> list[str]:
    try:
        with os.scandir(root) as entries:
            first = islice((entry for entry in entries if _offered(entry)), MOST_SUGGESTED)
            return sorted(entry.path for entry in first)
    except OSError:
        return []  # a root that is not there is told of where it is used


def _offered(entry: os.DirEntry[str]) -> bool:
    hidden = entry.name.startswith(".") or entry.name in PRIVATE_FOLDERS
    return not hidden and entry.is_dir(follow_symlinks=False) and entry.name.isprintable()
