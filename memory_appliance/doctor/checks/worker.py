"""Worker: it can write to the control database, and says how much memory it holds."""

from __future__ import annotations

from datetime import timedelta

from agents.models import WorkerHeartbeat
from agents.servers.common_clock import common_now
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.sentences import sentence

PATIENCE = timedelta(seconds=30)


def _look(visit: Visit) -> Looking:
    row = WorkerHeartbeat.objects.filter(name=WorkerHeartbeat.own()).first()
    if row is None or common_now() - row.at > PATIENCE:
        since = "never" if row is None else f"last at {row.at:%Y-%m-%d %H:%M:%S} UTC"
        yield Seen(
            "problem",
            sentence("It wrote to the control database {since}.", since=since),
            sentence("Start the server; if the worker is alive, logs/worker.log says what keeps it from writing."),
        )
    else:
        yield Seen(
            "ok",
            sentence(
                "It wrote to the control database just now, and holds {detail} MB.",
                detail=row.detail.get("rss", 0) >> 20,
            ),
        )


WORKER = Check("worker", "Worker's records", _look, needs_database=True)
