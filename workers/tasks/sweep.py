"""Sweep: every two seconds, send what is due, what was lost and what waits for vectors. The whole recovery is here."""

from __future__ import annotations

from itertools import chain
from threading import Lock

from django.utils import timezone

from agents.apart import apart
from agents.models import Run
from agents.runs import agents_awaiting_embeddings, agents_without_index, due_agents, request_run, stale_runs
from agents.set_back import ClockWatch, make_due_again
from workers.app import app
from workers.dispatch import dispatch

_one_at_a_time = Lock()
_clock = ClockWatch()


@app.task(name="workers.sweep")
def sweep() -> None:
    if not _one_at_a_time.acquire(blocking=False):
        return
    try:
        if _clock.was_set_back():
            make_due_again(timezone.now())
        for run in _due_runs():
            if not dispatch(run):
                return  # the broker is away: the rest waits for a later sweep
    finally:
        _one_at_a_time.release()


def _due_runs() -> list[Run]:
    now = timezone.now()
    lost = stale_runs(now)
    due = (
        (agent, Run.Kind.UPDATE, "change" if agent.update_requested_at is not None else "schedule")
        for agent in due_agents(now)
    )
    lost_indexes = ((agent, Run.Kind.UPDATE, "damage") for agent in agents_without_index())
    waiting = ((agent, Run.Kind.EMBED, "pending") for agent in agents_awaiting_embeddings())
    runs = []
    for agent, kind, reason in chain(due, lost_indexes, waiting):
        with apart(agent.slug, "asking for a job"):
            runs.append(request_run(agent=agent, kind=kind, reason=reason))
    return [*lost, *runs]
