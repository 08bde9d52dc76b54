"""What an idle agent costs its server: rows, the rounds over all agents, its updates.

    python -m bench.idle [--agents 100 1000 5000]

In process, on a SQLite control database in a folder that is removed again; every agent has one note. The figures of
searches, chunks and vectors are those of `bench.http`, `bench.engine` and `bench.embedding`; docs/scaling.md puts them
together.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROUNDS = 7
SAMPLE = 50
"""Agents whose updates are timed."""


def milliseconds(work: Callable[[], Any]) -> float:
    """CPU of this process, median of some rounds; the first one, which fills caches, does not count."""
    spent = []
    for _ in range(ROUNDS + 1):
        began = time.process_time()
        work()
        spent.append((time.process_time() - began) * 1000)
    return median(spent[1:])


def make_agents(first: int, last: int) -> None:
    from agents.core.actors import SYSTEM
    from agents.registry.agents import create_agent

    for number in range(first, last):
        agent = create_agent(actor=SYSTEM, slug=f"agent-{number}")
        Path(agent.workspace, "MEMORY.md").write_text(f"- The spare key of house {number} lies under the blue pot.\n")


def update_all(count: int) -> None:
    """As the worker does it: a run is made, claimed, worked on and finished."""
    from agents.indexes.specs import index_spec
    from agents.jobs.runs import claim, finish, request_run
    from agents.models import Agent, Run
    from search.index.update import update_index

    for agent in Agent.objects.all()[:count]:
        run = claim(request_run(agent=agent, kind=Run.Kind.UPDATE, reason="bench").pk, owner="bench", lease_seconds=60)
        assert run is not None
        spec = index_spec(run.index_agent)
        update_index(spec, identity=None, progress=lambda _: None, cancelled=lambda: False, lock_timeout=5)
        finish(run.pk, owner="bench", state=Run.State.DONE, result={})


def settle() -> None:
    """As after an update of everyone: nobody is due."""
    from datetime import timedelta

    from django.utils import timezone

    from agents.models import Agent

    now = timezone.now()
    Agent.objects.update(last_update_at=now, next_update_at=now + timedelta(hours=1), update_requested_at=None)


def measure(count: int, data: Path) -> None:
    from django.utils import timezone

    from agents.jobs.runs import agents_awaiting_embeddings, agents_without_index, due_agents, stale_runs
    from workers.watched_folders import existing_folders

    def sweep() -> None:
        now = timezone.now()
        stale_runs(now)
        due_agents(now)
        agents_without_index()
        agents_awaiting_embeddings()

    database = sum(path.stat().st_size for path in data.glob("control.sqlite3*"))
    rounds = f"sweep {milliseconds(sweep):8.1f} ms   watcher's look {milliseconds(existing_folders):8.1f} ms"
    print(f"{count:8,} agents   {rounds}   control database {database / count / 1024:6.1f} KB/agent", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, nargs="+", default=[100, 1000])
    counts = sorted(parser.parse_args().agents)
    data = Path(tempfile.mkdtemp(prefix="bench-idle-"))
    os.environ |= {"MEMORY_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "memory_appliance.settings"}
    try:
        run(counts, data)
    finally:
        shutil.rmtree(data)


def run(counts: list[int], data: Path) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    from search.evaluation.machine import describe_machine

    call_command("migrate", verbosity=0)
    print(describe_machine())
    made = 0
    for count in counts:
        make_agents(made, count)
        update_all(count)
        settle()
        measure(count, data)
        made = count
    sample = min(SAMPLE, made)
    each = milliseconds(lambda: update_all(sample)) / sample
    size = sum(path.stat().st_size for path in (data / "indexes").glob("agent-0.sqlite*"))
    print(f"an update that finds nothing: {each:.2f} ms CPU an agent; an index of one note: {size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
