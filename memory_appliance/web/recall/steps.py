"""Steps and sources of a turn as the pages show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.models import Agent
from memory_appliance.web.files.places import Lines, reader_address
from memory_appliance.web.recall.words import STEPS
from memory_appliance.web.told import told
from search.recall.outcome import Source, Step

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class StepRow:
    """`share` of the turn's time, 0 to 1."""

    text: StrOrPromise
    took_ms: float
    share: float
    detail: StrOrPromise


@dataclass(frozen=True, slots=True)
class SourceLink:
    cited: str
    address: str


def step_rows(steps: Iterable[Step], elapsed_ms: float) -> tuple[StepRow, ...]:
    return tuple(
        StepRow(
            text=STEPS.get(step.name, step.name),
            took_ms=step.took_ms,
            share=min(1.0, step.took_ms / max(elapsed_ms, 1e-3)),
            detail=told(step.detail),
        )
        for step in steps
    )


def source_links(agent: Agent, sources: Iterable[Source]) -> tuple[SourceLink, ...]:
    return tuple(source_link(agent, source) for source in sources)


def source_link(agent: Agent, source: Source) -> SourceLink:
    lines = Lines(source.start_line, source.end_line)
    return SourceLink(source.cited, reader_address(agent.slug, source.path, lines))
