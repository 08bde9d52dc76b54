"""Agents: each one's folder is there and can be written, and its last update went well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agents.agent_settings import read_settings
from agents.models import Agent
from agents.nodes.ownership import owned
from agents.selectors import get_agent
from agents.workspace.unfinished import waiting_writes
from memory_appliance.doctor.check import Check, Looking, Seen, Visit


def _look(visit: Visit) -> Looking:
    agents = [get_agent(visit.agent)] if visit.agent else list(Agent.objects.filter(owned()))
    well = 0
    for agent in agents:
        found = list(_faults(agent))
        yield from found
        well += not found
    off = sum(1 for agent in agents if not read_settings(agent.settings).memory_enabled)
    yield Seen("ok", f"{well} of {len(agents)} are well{f', {off} switched off' if off else ''}.")


def _faults(agent: Agent) -> Iterator[Seen]:
    workspace, title = Path(agent.workspace), f"Agent {agent.slug}"
    for _, reason in waiting_writes(agent):
        yield Seen("problem", reason, "Put right what it names: the next update finishes the write.", agent.slug, title)
    if not os.path.isdir(workspace):  # noqa: PTH112 - Path.is_dir raises where a parent may not be entered
        yield Seen(
            "problem",
            f"Its folder {workspace} is not there.",
            "Bring it back (mount it, or manage.py restore latest --agent), or give the agent another one.",
            agent.slug,
            title,
        )
    elif not os.access(workspace, os.R_OK | os.W_OK | os.X_OK):
        yield Seen(
            "problem",
            f"{workspace} cannot be read and written.",
            f"chown -R {os.geteuid()} {workspace}",
            agent.slug,
            title,
        )
    elif agent.last_error:
        yield Seen(
            "warning",
            f"Its last update failed: {agent.last_error}",
            "It is tried again at its interval.",
            agent.slug,
            title,
        )


AGENTS = Check("agents", "Agents", _look, needs_database=True)
