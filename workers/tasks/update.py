"""Update: bring one agent's index in line with its files, then see that new chunks get their vectors."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from agents.memory import embedding_identity
from agents.models import Run
from agents.runs import request_run
from agents.specs import index_spec
from search.index.update import update_index
from workers.app import app
from workers.dispatch import dispatch
from workers.door import forget_if_deleted, work_on
from workers.lease import Lease

LOCK_SECONDS = 5.0
"""An embedding job holds the lock for a moment to store its vectors; only a longer holder sends the run back."""


@app.task(name="workers.update")
def update(run_id: int) -> None:
    work_on(run_id, Run.Kind.UPDATE, _update)


def _update(run: Run, lease: Lease) -> dict[str, Any]:
    spec = index_spec(run.agent)
    report = update_index(
        spec,
        identity=embedding_identity(),
        progress=lease.progress,
        cancelled=lease.cancelled,
        lock_timeout=LOCK_SECONDS,
    )
    forget_if_deleted(run, spec)
    if report.pending:
        dispatch(request_run(agent=run.agent, kind=Run.Kind.EMBED, reason="update"))
    return asdict(report)
