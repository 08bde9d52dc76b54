"""Several servers on one control database: what comes round is done once, and each server's own disk by itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from agents.jobs import runs
from agents.models import Agent, Round, Run, WorkerHeartbeat
from agents.servers import common_clock
from agents.servers.common_clock import common_now
from agents.servers.common_vectors import CommonVectors
from agents.servers.nightly import my_night
from agents.servers.rounds import my_turn
from search.spec import PackedText
from workers.dispatch import _queue
from workers.jobs import JOBS
from workers.queues import INDEX, WORKER_QUEUES, queue_name


def test_of_two_servers_one_has_the_turn_and_the_other_takes_over(db: None, settings: Any) -> None:
    settings.MEMORY_SERVER_NAME = "a"
    assert my_turn("sweep", seconds=60)
    settings.MEMORY_SERVER_NAME = "b"
    assert not my_turn("sweep", seconds=60) and my_turn("tidy", seconds=60)
    Round.objects.filter(name="sweep").update(next_at=timezone.now() - timedelta(seconds=1))
    assert my_turn("sweep", seconds=60) and not my_turn("sweep", seconds=60)


def test_the_only_server_asks_nothing(db: None, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert my_turn("sweep", seconds=60) and my_turn("sweep", seconds=60)


def test_a_job_for_one_servers_disk_is_left_to_it(al: Agent, settings: Any) -> None:
    settings.MEMORY_SERVER_NAME = "a"
    pull = runs.request_pull(subject="model", reason="request")
    settings.MEMORY_SERVER_NAME = "b"
    assert runs.request_pull(subject="model", reason="request") != pull  # each has a folder of models
    later = timezone.now() + timedelta(hours=1)
    assert [run.server for run in runs.stale_runs(later, server="a")] == ["a"]
    assert runs.stale_runs(later) == []
    update = runs.request_run(agent=al, kind=Run.Kind.UPDATE, reason="request")
    assert runs.stale_runs(later) == [update]
    assert [_queue(run, JOBS[Run.Kind(run.kind)]) for run in (pull, update)] == ["control.a", INDEX]


def test_queues_and_signs_of_life_carry_the_name_of_one_among_several(settings: Any) -> None:
    assert [queue_name(queue, "") for queue in WORKER_QUEUES] == list(WORKER_QUEUES)
    assert [queue_name(queue, "a") for queue in WORKER_QUEUES] == ["control.a", "index", "embed"]
    assert WorkerHeartbeat.own() == "worker"
    settings.MEMORY_SERVER_NAME = "a"
    assert WorkerHeartbeat.own() == "worker@a"


def test_a_wrong_clock_takes_no_job_from_another_server(al: Agent, settings: Any, monkeypatch: Any) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("with SQLite there is one server and one clock")
    settings.MEMORY_SERVER_NAME = "a"
    monkeypatch.setattr(common_clock, "_asked", None)
    run = runs.request_run(agent=al, kind=Run.Kind.UPDATE, reason="request")
    assert runs.claim(run.pk, owner="a", lease_seconds=60)
    right = common_now()
    monkeypatch.setattr("django.utils.timezone.now", lambda: right + timedelta(days=1))
    assert runs.claim(run.pk, owner="b", lease_seconds=60) is None
    assert abs(common_now() - right) < timedelta(seconds=30)


def test_a_server_whose_clock_is_wrong_leaves_the_night_to_others(db: None, settings: Any, monkeypatch: Any) -> None:
    settings.MEMORY_SERVER_NAME = "a"
    right = timezone.now()
    monkeypatch.setattr("agents.servers.nightly.common_now", lambda: right)
    monkeypatch.setattr("django.utils.timezone.now", lambda: right + timedelta(days=400))
    assert not my_night("tidy")
    monkeypatch.setattr("django.utils.timezone.now", lambda: right)
    assert my_night("tidy") and not my_night("tidy")


def test_vectors_are_kept_for_all_whatever_the_version_of_their_tokens(al: Agent) -> None:
    """It is a checksum of 32 bits without a sign, which PostgreSQL's `integer` does not hold."""
    common, row = CommonVectors(al.pk, shares=False), PackedText(b"h" * 32, b"parts", 2**32 - 1, b"bits")
    common.keep("print", [row])
    assert common.fetch("print", [row.hash]) == [row]
