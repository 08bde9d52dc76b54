"""`memory status`: what is indexed, what waits, and what is wrong, for one agent or all."""

from __future__ import annotations

from dataclasses import asdict

from agents.context import near_limits
from agents.memory import reads
from agents.models import Agent
from memory_appliance.management.counted import counted
from memory_appliance.management.memory.choose import some_agents
from memory_appliance.management.memory.output import Output
from search.index.report import IndexStatus


def status(output: Output, *, agent: str | None) -> None:
    found = [(row, reads.status(row)) for row in some_agents(agent)]
    if output.as_json:
        output.answer([_as_json(row, state) for row, state in found])
        return
    for row, state in found:
        _print(output, row, state)
    if not found:
        output.remark("There is no agent yet.")


def _as_json(row: Agent, state: IndexStatus) -> dict[str, object]:
    return {
        "agent": row.slug,
        "workspace": row.workspace,
        "last_update": row.last_update_at.isoformat() if row.last_update_at else None,
        "last_error": row.last_error,
        **asdict(state),
    }


def _print(output: Output, row: Agent, state: IndexStatus) -> None:
    updated = f"{row.last_update_at:%Y-%m-%d %H:%M:%S} UTC" if row.last_update_at else "never"
    output.line(f"{row.slug}  {row.workspace}")
    size = f"{state.size_bytes / 1e6:.1f} MB"
    output.line(f"  indexed   {counted(state.files, 'file')}, {counted(state.chunks, 'chunk')}, {size}")
    output.line(f"  vectors   {state.embedded} of {state.chunks}, {state.pending} waiting")
    output.line(f"  updated   {updated}")
    if row.last_error:
        output.line(f"  error     {row.last_error}")
    for note in state.degraded:
        output.line(f"  note      {note.code}: {note.detail}")
    for warning in near_limits(row):
        output.line(f"  note      {warning}")
    for collection in state.collections:
        output.line(f"  {collection.name}: {counted(collection.files, 'file')}, {counted(collection.chunks, 'chunk')}")
        for problem in collection.problems:
            output.line(f"    ! {problem.path}: {problem.problem}")
