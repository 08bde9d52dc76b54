"""Canary agents: made for a test, marked on the disk, and taken away whole, by whoever comes next if need be.

A test never writes into somebody's own memory: a fault in the middle of it would leave its words among theirs. An
agent of its own has its own folder and index, and shows besides that agents are kept apart.
"""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.core.actors import Actor
from agents.core.apart import apart
from agents.core.paths import data_dir, default_workspace
from agents.models import Agent
from agents.registry.agents import create_agent, delete_agent
from agents.workspace import objects

DOCTOR = Actor("doctor")
MARK = ".canary"
_SLUG = re.compile(r"canary-[0-9a-f]{12}")
LEFT_SECONDS = 15 * 60
"""A canary this old has lost the test that made it."""


@contextmanager
def canary() -> Iterator[Agent]:
    """An agent for the length of a block, whatever ends it short of a kill."""
    slug = f"canary-{secrets.token_hex(6)}"
    workspace = default_workspace(slug)
    workspace.mkdir(parents=True)
    try:
        # The mark comes first: from here on, whatever happens, it is known for what it is.
        (workspace / MARK).touch()
        yield create_agent(actor=DOCTOR, slug=slug, name="Doctor's canary (goes by itself)")
    finally:
        _remove(workspace)


def remove_left_canaries() -> list[str]:
    """Take away those whose test was killed; returns their slugs. Only what carries the mark is touched."""
    gone = []
    for mark in sorted((data_dir() / "workspaces").glob(f"canary-*/{MARK}")):
        if is_canary(mark.parent) and mark.stat().st_mtime < time.time() - LEFT_SECONDS:
            with apart(mark.parent.name, "taking away what a killed doctor left"):
                _remove(mark.parent)
                gone.append(mark.parent.name)
    return gone


def is_canary(workspace: Path) -> bool:
    slug = workspace.name
    return bool(_SLUG.fullmatch(slug)) and workspace == default_workspace(slug) and (workspace / MARK).is_file()


def _remove(workspace: Path) -> None:
    slug = workspace.name
    agent = Agent.objects.filter(slug=slug, workspace=str(workspace)).first()
    if agent is not None:
        delete_agent(actor=DOCTOR, agent=agent)
    objects.remove_all(slug)
    if workspace.exists():
        shutil.rmtree(workspace)
