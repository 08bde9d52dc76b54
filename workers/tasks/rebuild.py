"""Rebuild: a new index beside the live one, in bouts, swapped in whole; then the next agent has its turn."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from agents.core.telemetry import telemetry
from agents.indexes.specs import embedding_spec
from agents.jobs.runs import request_run
from agents.models import Change, Run
from agents.providers.role_models import embedder_for
from agents.servers.generations import note
from search.index.rebuild import rebuild_index
from workers.app import app
from workers.dispatch import dispatch
from workers.door import HandBack, forget_if_deleted, work_on
from workers.lease import Lease
from workers.sharing import shared

BOUT_SECONDS = 20.0


@app.task(name="workers.rebuild")
def rebuild(run_id: int) -> None:
    work_on(run_id, Run.Kind.REBUILD, _rebuild)


def _rebuild(run: Run, lease: Lease) -> dict[str, Any]:
    spec = embedding_spec(run.index_agent)
    embedder = embedder_for(run.index_agent)
    together, lanes = shared(embedder) if embedder is not None else (None, 1)
    report = rebuild_index(
        spec,
        together,
        budget_seconds=BOUT_SECONDS,
        progress=lease.progress,
        cancelled=lease.cancelled,
        lanes=lanes,
    )
    telemetry().embedded(report.embedded)
    if not report.swapped:
        raise HandBack()
    note(run.index_agent.pk, what=Change.What.REBUILT)
    forget_if_deleted(run, spec)
    if report.pending:
        dispatch(request_run(agent=run.index_agent, kind=Run.Kind.EMBED, reason="rebuild"))
    return asdict(report)
