"""Server time of every page at a fleet's size: 200 agents, 100,000 recall events and as many of the audit."""

from __future__ import annotations

import argparse
import atexit
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

DATA = Path(tempfile.mkdtemp(prefix="bench-pages-"))
atexit.register(shutil.rmtree, DATA, ignore_errors=True)
os.environ["MEMORY_DATA_DIR"] = str(DATA)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")

import django  # noqa: E402

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from agents.core.actors import Actor  # noqa: E402
from agents.indexes.specs import index_spec  # noqa: E402
from agents.memory.activity import count_activity  # noqa: E402
from agents.models import Agent, AuditEvent, RecallEvent, Run  # noqa: E402
from agents.registry.agents import create_agent  # noqa: E402
from memory_appliance.web.urls import pages  # noqa: E402
from search.evaluation.machine import describe_machine  # noqa: E402
from search.index.update import update_index  # noqa: E402
from search.recall.outcome import Reason, Status  # noqa: E402

NOT_MEASURED = {"accounts/login/", "accounts/logout/", "accounts/theme/", "accounts/language/"}
OUTCOMES = (
    (Status.OK, Reason.FOUND),
    (Status.NO_RELEVANT_MEMORY, Reason.NOTHING_FOUND),
    (Status.SKIPPED, Reason.NO_RECALL_INTENT),
    (Status.DENIED, Reason.SCOPE_DENIED),
    (Status.TIMEOUT, Reason.DEADLINE),
)


def fill(agents: int, events: int) -> None:
    """Agents with a small real index each; events and jobs as rows, spread over 30 days."""
    bench = Actor("user:bench")
    for number in range(agents):
        agent = create_agent(actor=bench, slug=f"agent-{number:03d}")
        memory = Path(agent.workspace) / "memory"
        memory.mkdir(parents=True, exist_ok=True)
        (memory.parent / "MEMORY.md").write_text(f"# Agent {number}\n\n- The boiler valve here is a BV-{number}.\n")
        (memory / "2026-07-01.md").write_text(f"# Day\n\nWatered the pots of house {number}.\n")
        update_index(index_spec(agent), identity=None, progress=lambda _: None, cancelled=lambda: False, lock_timeout=5)
    rows = list(Agent.objects.all())
    now = timezone.now()
    recalls = [
        RecallEvent(
            agent=rows[number % agents],
            status=OUTCOMES[number % len(OUTCOMES)][0],
            reason=OUTCOMES[number % len(OUTCOMES)][1],
            lane="deep",
            elapsed_ms=12.5,
            query="boiler valve",
        )
        for number in range(events)
    ]
    RecallEvent.objects.bulk_create(recalls, batch_size=2000)
    AuditEvent.objects.bulk_create(
        [
            AuditEvent(actor="user:bench", action="agent.update", target=f"agent:{number % agents}")
            for number in range(events)
        ],
        batch_size=2000,
    )
    Run.objects.bulk_create(
        [Run(agent=rows[number % agents], kind="update", state="done") for number in range(agents * 50)],
        batch_size=2000,
    )
    with connection.cursor() as cursor:
        for table in ("agents_recallevent", "agents_auditevent"):
            cursor.execute(f"SELECT min(id), max(id) FROM {table}")
            low, high = cursor.fetchone()
            step = timedelta(days=30).total_seconds() / max(1, high - low)
            cursor.execute(
                f"UPDATE {table} SET at = datetime(%s, '-' || ((%s - id) * %s) || ' seconds')", [now, high, step]
            )


class Count:
    """How many queries ran while it wrapped a connection."""

    queries = 0

    def __call__(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.queries += 1
        return execute(*arguments)


def measure(times: int) -> None:
    User.objects.create_superuser("owner", password="a long password")
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get())
    print(f"{'page':44} {'status':>6} {'queries':>7} {'p50 ms':>8} {'p95 ms':>8} {'kB':>6}")
    for page in pages:
        address = "/" + str(page.pattern).replace("<slug:slug>", "agent-007")
        if "<" in address or address[1:] in NOT_MEASURED:
            continue
        client.get(address)
        count = Count()
        with connection.execute_wrapper(count):
            answer = client.get(address)
        took = []
        for _ in range(times):
            start = time.perf_counter()
            client.get(address)
            took.append((time.perf_counter() - start) * 1000)
        p95 = statistics.quantiles(took, n=20)[-1]
        size = len(answer.getvalue()) / 1000
        p50 = statistics.median(took)
        print(f"{address:44} {answer.status_code:6} {count.queries:7} {p50:8.1f} {p95:8.1f} {size:6.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=40)
    wanted = parser.parse_args()
    print(describe_machine())
    call_command("migrate", verbosity=0)
    fill(wanted.agents, wanted.events)
    began = time.perf_counter()
    print(f"counted for the charts: {count_activity(batches=10_000):,} events in {time.perf_counter() - began:.0f} s")
    print(f"{wanted.agents} agents, {wanted.events:,} recall and audit events each; Django's client, in process")
    measure(wanted.times)
