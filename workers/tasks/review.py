"""Review: look through one agent's notes for what stands twice or disagrees; nothing is changed."""

from __future__ import annotations

from typing import Any

from agents.core.apart import apart
from agents.jobs.runs import request_run
from agents.models import Run
from agents.servers.nightly import my_night
from agents.upkeep.memory_health.review import agents_to_review, carry_out
from workers.app import app
from workers.dispatch import dispatch
from workers.door import work_on
from workers.lease import Lease


@app.task(name="workers.review_changed")
def review_changed() -> None:
    """At night, one agent after the other: the page then has something to show in the morning."""
    if not my_night("review"):
        return
    for agent in agents_to_review():
        with apart(agent.slug, "asking for a review"):
            dispatch(request_run(agent=agent, kind=Run.Kind.REVIEW, reason="schedule"))


@app.task(name="workers.review")
def review(run_id: int) -> None:
    work_on(run_id, Run.Kind.REVIEW, _review)


def _review(run: Run, lease: Lease) -> dict[str, Any]:
    return carry_out(run.index_agent, progress=lease.progress, cancelled=lease.cancelled)
