"""Agents: each one's folder is there and can be written, and its last update went well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from agents.backup.journal import journal_of
from agents.core.agent_settings import memory_on
from agents.indexes.broken_rows import row_faults
from agents.models import Agent, WorkspaceWrite
from agents.registry.selectors import get_agent
from agents.workspace.journal import DISPLACED
from agents.workspace.leftovers import all_leftovers
from agents.workspace.unfinished import waiting_forgettings, waiting_writes
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.documents.contain import PathNotAllowed, open_folder
from search.sentences import sentence

TOLD = timedelta(days=7)


def _look(visit: Visit) -> Looking:
    agents = [get_agent(visit.agent)] if visit.agent else list(Agent.objects.all())
    well = 0
    for agent in agents:
        found = [*_faults(agent), *_displaced(agent), *([] if visit.quick else _leftovers(agent))]
        yield from found
        well += not found
    off = sum(1 for agent in agents if not memory_on(agent.settings))
    yield Seen(
        "ok",
        sentence("{well} of {count} are well, {off} switched off.", well=well, count=len(agents), off=off)
        if off
        else sentence("{well} of {count} are well.", well=well, count=len(agents)),
    )


def _faults(agent: Agent) -> Iterator[Seen]:
    workspace, title = Path(agent.workspace), f"Agent {agent.slug}"
    for _, reason in waiting_writes(agent):
        yield Seen(
            "problem",
            reason,
            sentence("Put right what it names: the next update finishes the write."),
            agent.slug,
            title,
        )
    for thing in waiting_forgettings(agent):
        yield Seen(
            "warning",
            sentence("Forgetting {thing} was cut short.", thing=thing),
            sentence("The next start or update finishes it."),
            agent.slug,
            title,
        )
    for fault in row_faults(agent):
        seen, _, hint = fault.partition("; ")
        yield Seen("problem", f"{seen}.", f"{hint[:1].upper()}{hint[1:]}.", agent.slug, title)
    if absent := _absent(workspace):
        yield Seen(
            "problem",
            sentence("Its folder {absent}.", absent=absent),
            sentence("Bring it back (mount it, or manage.py restore latest --agent), or give the agent another one."),
            agent.slug,
            title,
        )
    elif not os.access(workspace, os.R_OK | os.W_OK | os.X_OK):
        yield Seen(
            "problem",
            sentence("{workspace} cannot be read and written.", workspace=workspace),
            sentence("chown -R {geteuid} {workspace}", geteuid=os.geteuid(), workspace=workspace),
            agent.slug,
            title,
        )
    elif agent.last_error:
        yield Seen(
            "warning",
            sentence("Its last update failed: {last_error}", last_error=agent.last_error),
            sentence("It is tried again at its interval."),
            agent.slug,
            title,
        )


def _absent(workspace: Path) -> str:
    """Why there is no folder that may be opened; "" when there is one, readable or not."""
    try:
        os.close(open_folder(workspace))
    except PathNotAllowed as error:
        return f"{workspace} is not used: {error.message}"
    except PermissionError:
        return ""
    except OSError:
        return f"{workspace} is not there"
    return ""


def _displaced(agent: Agent) -> Iterator[Seen]:
    """Contents that lost their name to a write of ours: they are versions, and their owner should know."""
    since = timezone.now() - TOLD
    rows = WorkspaceWrite.objects.filter(agent=agent, action=DISPLACED, at__gte=since).order_by("pk")
    for path, version in rows.values_list("path", "after"):
        yield Seen(
            "warning",
            sentence(
                "{path} was saved in the very moment of a write; what it held then is its version {version}.",
                path=path,
                version=version[:12],
            ),
            sentence("Look at the file's history: restore that version, or take its lines over."),
            agent.slug,
            sentence("Agent {slug}", slug=agent.slug),
        )


def _leftovers(agent: Agent) -> Iterator[Seen]:
    if journal_of(agent.slug).exists():
        yield Seen(
            "problem",
            sentence(
                "A restore of {slug} is at work or was cut short: files and records may not belong together.",
                slug=agent.slug,
            ),
            sentence("If none is at work, start the server again: it puts everything back as it was."),
            agent.slug,
            sentence("Agent {slug}", slug=agent.slug),
        )
    for path in all_leftovers(Path(agent.workspace)):
        yield Seen(
            "warning",
            sentence("{path} is what a write that was cut short left.", path=path),
            sentence("The next start makes a version of it, unless the file has it already."),
            agent.slug,
            sentence("Agent {slug}", slug=agent.slug),
        )


AGENTS = Check("agents", "Agents", _look, needs_database=True)
