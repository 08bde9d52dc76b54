"""`memory get`: lines of one file, as an agent would read them."""

from __future__ import annotations

from dataclasses import asdict

from agents.core.actors import CLI, Caller
from agents.memory import reads
from memory_appliance.management.memory.choose import one_agent
from memory_appliance.management.memory.output import Failed, Output


def get(output: Output, *, agent: str | None, path: str, from_line: int, lines: int | None) -> None:
    row = one_agent(agent)
    result = reads.get(
        agent=row, caller=Caller(CLI, trusted=True), session=None, path=path, from_line=from_line, lines=lines
    )
    if isinstance(result, reads.Denied):
        raise Failed(f"Denied: {result.decision.reason}.")
    if output.as_json:
        output.answer({"agent": row.slug, **asdict(result)})
    elif result.status == "ok":
        output.line(result.text.removesuffix("\n"))
    if result.status == "not_found":
        raise Failed(f"Agent {row.slug} has no file {path}.")
    if result.status == "error":
        raise Failed(f"{path}: {result.error} ({result.code})")
