"""Check: one thing the doctor looks at, as a value; and what it may ask on its visit."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

from memory_appliance.doctor.finding import Level


@dataclass(frozen=True, slots=True)
class Visit:
    """`agent` "": all of them. `quick`: nothing that reads whole files or waits for workers."""

    agent: str = ""
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """One finding of a check; `part` tells it from the check's others, such as the agent it is about."""

    level: Level
    seen: str
    todo: str = ""
    part: str = ""
    title: str = ""


Looking = Generator[Seen, None, None]
"""Can be closed before its end: whoever stops reading lets the check tidy up."""


@dataclass(frozen=True, slots=True)
class Check:
    """`look` yields at least one finding. What it raises of the expected errors becomes a problem of its own."""

    id: str
    title: str
    look: Callable[[Visit], Looking]
    needs_database: bool = False
    in_quick: bool = True
