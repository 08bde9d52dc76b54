"""Review: look through one agent's notes for what stands twice or disagrees; nothing is changed."""

from __future__ import annotations

from typing import Any

from agents.memory_health.review import carry_out
from agents.models import Run
from workers.app import app
from workers.door import work_on
from workers.lease import Lease


@app.task(name="workers.review")
def review(run_id: int) -> None:
    work_on(run_id, Run.Kind.REVIEW, _review)


def _review(run: Run, lease: Lease) -> dict[str, Any]:
    return carry_out(run.index_agent, progress=lease.progress, cancelled=lease.cancelled)
