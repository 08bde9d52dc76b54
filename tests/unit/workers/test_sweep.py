"""The sweep and its messages, while no broker is there: wishes stay rows, nobody waits long."""

from __future__ import annotations

import time
from datetime import timedelta

from django.utils import timezone

from agents.jobs.runs import claim, request_run
from agents.models import Agent, Run, WorkerHeartbeat
from workers.dispatch import dispatch
from workers.heartbeat import beat, release_runs_of_the_dead
from workers.lease import PROCESS, owner
from workers.tasks.sweep import sweep


def test_without_a_broker_dispatch_says_so_quickly_and_keeps_the_run(al: Agent) -> None:
    run = request_run(agent=al, kind="update", reason="test")
    dispatch(run)
    started = time.monotonic()
    assert dispatch(run) is False
    assert time.monotonic() - started < 1.0
    assert Run.objects.get().dispatched_at is None


def test_a_wish_becomes_one_run_however_often_the_sweep_comes(al: Agent) -> None:
    Agent.objects.update(update_requested_at=timezone.now(), last_update_at=None)
    sweep()
    sweep()
    assert [(run.kind, run.reason, run.state) for run in Run.objects.all()] == [("update", "change", "queued")]


def test_chunks_without_vectors_get_an_embedding_run(al: Agent) -> None:
    Agent.objects.update(next_update_at=timezone.now() + timedelta(hours=1), pending_embeddings=3)
    sweep()
    assert Run.objects.get().kind == "embed"


def test_a_worker_says_that_it_lives_and_how_large_it_is(db: None) -> None:
    beat()
    beat()
    assert WorkerHeartbeat.objects.get().detail["rss"] > 10_000_000


def test_a_restarted_worker_frees_the_runs_of_its_dead_predecessor(al: Agent) -> None:
    host = PROCESS.split(":")[0]
    dead = request_run(agent=al, kind="update", reason="test")
    claim(dead.pk, owner=f"{host}:999999999:aa:1", lease_seconds=60)
    mine = request_run(agent=al, kind="embed", reason="test")
    claim(mine.pk, owner=owner(), lease_seconds=60)
    assert release_runs_of_the_dead() == 1
    assert claim(dead.pk, owner="next", lease_seconds=60)
    assert claim(mine.pk, owner="next", lease_seconds=60) is None
