"""time_searches(): the owner's searches of one agent, one after another, with what each stage took."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tqdm import tqdm

from agents.core.actors import CLI, Caller
from agents.memory import reads
from agents.memory.reads import SearchParams
from agents.models import Agent
from memory_appliance.management.memory.output import Failed, Output
from search.spec import Mode


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of one mode's searches. `degraded` counts the answers that lacked something, by code."""

    mode: Mode
    searches: int
    p50_ms: float
    p95_ms: float
    slowest_ms: float
    stages_p50_ms: dict[str, float]
    degraded: dict[str, int]


def time_searches(output: Output, *, agent: Agent, mode: Mode, queries: Sequence[str]) -> Timing:
    """Raises `Failed` when the index cannot be searched."""
    took: list[float] = []
    stages: dict[str, list[float]] = {}
    degraded: Counter[str] = Counter()
    caller = Caller(CLI, trusted=True)
    for query in tqdm(queries, desc=mode, unit="search", disable=not output.on_terminal, leave=False):
        began = time.perf_counter()
        answer = reads.search(
            agent=agent, caller=caller, session=None, params=SearchParams(query=query, mode=mode, counts=False)
        )
        took.append((time.perf_counter() - began) * 1000)
        if isinstance(answer, reads.Denied) or answer.outcome.outcome == "unavailable":
            raise Failed("The index cannot be searched. Run `manage.py memory index`.")
        degraded.update(note.code for note in answer.outcome.degraded)
        for name, milliseconds in answer.outcome.timings_ms.items():
            stages.setdefault(name, []).append(milliseconds)
    return Timing(
        mode=mode,
        searches=len(took),
        p50_ms=round(statistics.median(took), 1),
        p95_ms=round(_p95(took), 1),
        slowest_ms=round(max(took), 1),
        stages_p50_ms={name: round(statistics.median(times), 1) for name, times in stages.items()},
        degraded=dict(degraded),
    )


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]
