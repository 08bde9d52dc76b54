"""`manage.py bench`: how fast this machine searches an agent's own notes; read-only, safe on a live server."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from agents.core.errors import RuleError
from agents.indexes.specs import index_spec
from agents.memory import reads
from memory_appliance.management.bench.searches import Timing, time_searches
from memory_appliance.management.memory.choose import one_agent
from memory_appliance.management.memory.output import Failed, Output
from memory_appliance.management.unusable import unusable
from search.errors import SearchError
from search.evaluation.machine import describe_machine
from search.evaluation.sample import sample_queries
from search.spec import Mode

MOST_SEARCHES = 1_000


class Command(BaseCommand):
    help = "Time searches of an agent's own notes: p50 and p95 by mode, sizes, the machine. Changes nothing."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", metavar="SLUG")
        parser.add_argument("--mode", action="append", choices=get_args(Mode), help="may be given again; default: all")
        parser.add_argument("--times", type=int, default=50, metavar="N", help="searches per mode (50)")
        parser.add_argument("--query", action="append", help="this query instead of a sample of the notes")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *args: Any, **options: Any) -> None:
        output = Output(self.stdout, self.stderr, options["as_json"])
        try:
            _bench(output, options)
        except (RuleError, SearchError) as error:
            self.stderr.write(f"error: {error.message} {error.hint}".rstrip())
            sys.exit(1)
        except DatabaseError as error:
            self.stderr.write(f"error: {unusable(error)}")
            sys.exit(1)
        except Failed as error:
            self.stderr.write(f"error: {error}")
            sys.exit(1)


def _bench(output: Output, options: dict[str, Any]) -> None:
    if not 1 <= options["times"] <= MOST_SEARCHES:
        raise Failed(f"--times must be between 1 and {MOST_SEARCHES:,}.")
    agent = one_agent(options["agent"])
    status = reads.status(agent)
    queries = tuple(options["query"] or sample_queries(index_spec(agent), options["times"]))
    if not queries:
        raise Failed(f"Agent {agent.slug} has no chunks to search. Add notes, or run `manage.py memory index`.")
    timings = [
        time_searches(output, agent=agent, mode=mode, queries=queries) for mode in options["mode"] or get_args(Mode)
    ]
    sizes = {
        "files": status.files,
        "chunks": status.chunks,
        "embedded": status.embedded,
        "size_bytes": status.size_bytes,
    }
    if output.as_json:
        machine = describe_machine().splitlines()
        output.answer({"agent": agent.slug, **sizes, "machine": machine, "modes": [asdict(one) for one in timings]})
        return
    output.line(describe_machine())
    output.line(
        f"agent     {agent.slug}: {status.files:,} files, {status.chunks:,} chunks, {status.embedded:,} embedded, "
        f"{status.size_bytes / 1e6:.1f} MB"
    )
    output.line()
    output.line(f"{'mode':9} {'searches':>8} {'p50 ms':>8} {'p95 ms':>8} {'slowest':>8}   stages, p50 ms")
    for timing in timings:
        _row(output, timing)


def _row(output: Output, timing: Timing) -> None:
    stages = ", ".join(f"{name} {value}" for name, value in timing.stages_p50_ms.items())
    output.line(
        f"{timing.mode:9} {timing.searches:8} {timing.p50_ms:8} {timing.p95_ms:8} {timing.slowest_ms:8}   {stages}"
    )
    for code, count in timing.degraded.items():
        output.remark(f"note: {count} of {timing.searches} {timing.mode} searches: {code}")
