"""Sweep: every two seconds, send what is due, what was lost and what waits for vectors. The whole recovery is here.

Every server looks after its own disk; after what belongs to all of them the first one to come."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from threading import Lock

from django.conf import settings

from agents.core.apart import apart
from agents.jobs.runs import agents_awaiting_embeddings, agents_without_index, due_agents, request_run, stale_runs
from agents.models import Run
from agents.servers.common_clock import common_now
from agents.servers.rounds import my_turn
from agents.servers.set_back import ClockWatch, make_due_again
from workers.app import app
from workers.dispatch import dispatch

SECONDS = 1.0
"""A server that comes within this time after another has nothing to add."""

_one_at_a_time = Lock()
_clock = ClockWatch()


@app.task(name="workers.sweep")
def sweep() -> None:
    if not _one_at_a_time.acquire(blocking=False):
        return
    try:
        runs = list(_own_runs())
        if my_turn("sweep", seconds=SECONDS):
            if _clock.was_set_back():
                make_due_again(common_now())
            runs += _due_runs()
        for run in runs:
            if not dispatch(run):
                return  # the broker is away: the rest waits for a later sweep
    finally:
        _one_at_a_time.release()


def _own_runs() -> Iterator[Run]:
    """What only this server can do, because it is about its disk."""
    server = settings.MEMORY_SERVER_NAME
    if server:
        yield from stale_runs(common_now(), server=server)
    for agent in agents_without_index():
        with apart(agent.slug, "asking for a job"):
            yield request_run(agent=agent, kind=Run.Kind.UPDATE, reason="damage", server=server)


def _due_runs() -> list[Run]:
    now = common_now()
    lost = stale_runs(now, server="")
    due = (
        (agent, Run.Kind.UPDATE, "change" if agent.update_requested_at is not None else "schedule")
        for agent in due_agents(now)
    )
    waiting = ((agent, Run.Kind.EMBED, "pending") for agent in agents_awaiting_embeddings())
    runs = []
    for agent, kind, reason in chain(due, waiting):
        with apart(agent.slug, "asking for a job"):
            runs.append(request_run(agent=agent, kind=kind, reason=reason))
    return [*lost, *runs]
