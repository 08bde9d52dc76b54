"""`memory note`: write something down as the owner."""

from __future__ import annotations

from dataclasses import asdict

from agents.core.actors import CLI, Caller
from agents.files.notes import note as write
from memory_appliance.management.memory.choose import one_agent
from memory_appliance.management.memory.output import Output


def note(
    output: Output, *, agent: str | None, text: str, target: str, importance: int | None, triggers: list[str]
) -> None:
    row = one_agent(agent)
    noted = write(
        agent=row,
        caller=Caller(CLI, trusted=True),
        text=text,
        target=target,
        importance=importance,
        triggers=triggers,
    )
    place = noted.appended
    if output.as_json:
        output.answer({"agent": row.slug, **asdict(place), "indexed": noted.indexed, "warnings": list(noted.warnings)})
    else:
        lines = f"L{place.start_line}" + (f"-L{place.end_line}" if place.end_line > place.start_line else "")
        output.line(f"{place.path}#{lines}" + (" (was there already)" if place.duplicate else ""))
    for warning in noted.warnings:
        output.remark(f"note: {warning}")
