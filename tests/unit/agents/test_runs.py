"""The life of a run: joined, claimed once, kept by its lease, found again when lost, and no wish forgotten."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from agents.core.paths import index_path
from agents.jobs import runs
from agents.models import Agent, Run
from agents.registry.agents import request_update, update_agent
from search.index.damage import mark_damaged
from tests.cast import OWNER, agent_with


@pytest.fixture
def agent(db: None, data_dir: object) -> Agent:
    return agent_with("al", {})


def queued(agent: Agent, kind: str = "update") -> Run:
    return runs.request_run(agent=agent, kind=kind, reason="test")


def claim(run: Run, owner: str = "w1", lease: int = 60) -> Run | None:
    return runs.claim(run.pk, owner=owner, lease_seconds=lease)


def fresh(agent: Agent) -> Agent:
    return Agent.objects.get(pk=agent.pk)


def test_a_second_request_joins_the_first(agent: Agent) -> None:
    first = queued(agent)
    assert queued(agent) == first
    assert queued(agent, "embed") != first
    claim(first)
    assert queued(agent) == first
    runs.finish(first.pk, owner="w1", state="done", result={})
    assert queued(agent) != first


def test_a_run_is_claimed_once(agent: Agent) -> None:
    run = queued(agent)
    taken = claim(run, "w1")
    assert taken is not None and (taken.state, taken.attempts) == ("running", 1)
    assert claim(run, "w2") is None
    assert runs.claim(10_000, owner="w1", lease_seconds=60) is None


@pytest.mark.django_db(transaction=True)
def test_of_many_threads_one_gets_the_run(data_dir: object) -> None:
    run = queued(agent_with("al", {}))
    start, won = threading.Barrier(6), []

    def worker(name: str) -> None:
        start.wait()
        if claim(run, name):
            won.append(name)
        connection.close()

    threads = [threading.Thread(target=worker, args=(f"w{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_requests_one_makes_the_run(data_dir: object) -> None:
    agent = agent_with("al", {})
    start, made = threading.Barrier(6), []

    def door() -> None:
        start.wait()
        made.append(queued(agent).pk)
        connection.close()

    threads = [threading.Thread(target=door) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 6 and len(set(made)) == 1


def test_progress_extends_the_lease_of_its_owner_alone(agent: Agent) -> None:
    run = queued(agent)
    claim(run, lease=1)
    assert runs.heartbeat(run.pk, owner="w1", done=3, total=9, unit="files", lease_seconds=60)
    assert not runs.heartbeat(run.pk, owner="w2", done=4, total=9, unit="files", lease_seconds=60)
    run.refresh_from_db()
    assert (run.done, run.total) == (3, 9)
    assert run.lease_until is not None and run.lease_until > timezone.now() + timedelta(seconds=50)


def test_a_worker_that_lost_its_lease_changes_nothing_any_more(agent: Agent) -> None:
    run = queued(agent)
    claim(run, "w1", lease=-1)
    assert claim(run, "w2") is not None
    assert not runs.heartbeat(run.pk, owner="w1", done=1, total=1, unit="files", lease_seconds=60)
    assert not runs.requeue(run.pk, owner="w1", delay_seconds=0)
    assert not runs.finish(run.pk, owner="w1", state="failed", result={}, error="late")
    assert runs.finish(run.pk, owner="w2", state="done", result={})
    run.refresh_from_db()
    assert (run.state, run.error) == ("done", "")


def test_lost_runs_are_found(agent: Agent) -> None:
    run = queued(agent)
    now = timezone.now()
    assert runs.stale_runs(now) == [run]
    runs.mark_dispatched(run)
    assert runs.stale_runs(now) == []
    assert runs.stale_runs(now + timedelta(seconds=31)) == [run]
    claim(run, lease=60)
    assert runs.stale_runs(now + timedelta(seconds=31)) == []
    assert runs.stale_runs(now + timedelta(seconds=61)) == [run]


def test_a_run_handed_back_waits_for_its_delay(agent: Agent) -> None:
    run = queued(agent)
    claim(run)
    assert runs.requeue(run.pk, owner="w1", delay_seconds=15, error="the model is still building")
    now = timezone.now()
    assert claim(run) is None and runs.stale_runs(now) == []
    assert runs.stale_runs(now + timedelta(seconds=16)) == [run]
    run.refresh_from_db()
    assert (run.state, run.error, run.attempts) == ("queued", "the model is still building", 0)


def test_a_run_that_kills_its_workers_is_given_up(agent: Agent) -> None:
    run = queued(agent)
    for number in range(runs.MAX_CLAIMS):
        assert claim(run, f"w{number}", lease=-1) is not None
    assert claim(run, "last") is None
    run.refresh_from_db()
    assert run.state == "failed" and "stopped 5 times" in run.error
    assert fresh(agent).last_error == run.error


def test_a_finished_update_sets_the_schedule(agent: Agent) -> None:
    request_update(actor=OWNER, agent=agent)
    run = queued(agent)
    claim(run)
    runs.finish(run.pk, owner="w1", state="done", result={"pending": 7})
    after = fresh(agent)
    assert after.update_requested_at is None and after.pending_embeddings == 7
    assert after.last_update_at is not None and after.next_update_at is not None
    assert after.next_update_at - after.last_update_at == timedelta(seconds=300)


def test_a_wish_that_came_during_the_update_stays(agent: Agent) -> None:
    run = queued(agent)
    claim(run)
    assert request_update(actor=OWNER, agent=agent) == run
    runs.finish(run.pk, owner="w1", state="done", result={})
    assert fresh(agent).update_requested_at is not None
    assert runs.due_agents(timezone.now() + timedelta(seconds=16)) == [agent]


def test_a_failed_update_says_so_and_waits_for_its_interval(agent: Agent) -> None:
    run = queued(agent)
    claim(run)
    runs.finish(run.pk, owner="w1", state="failed", result={}, error="disk full")
    assert fresh(agent).last_error == "disk full"
    assert runs.due_agents(timezone.now() + timedelta(seconds=20)) == []
    assert runs.due_agents(timezone.now() + timedelta(seconds=301)) == [agent]


def test_a_run_cannot_finish_as_something_else(agent: Agent) -> None:
    run = queued(agent)
    claim(run)
    with pytest.raises(ValueError, match="running"):
        runs.finish(run.pk, owner="w1", state="running", result={})


def test_a_waiting_run_is_cancelled_at_once_and_does_not_come_back(agent: Agent) -> None:
    request_update(actor=OWNER, agent=agent)
    run = runs.cancel(queued(agent))
    assert run.state == "cancelled"
    assert claim(run) is None
    assert runs.due_agents(timezone.now() + timedelta(seconds=20)) == []


def test_a_running_run_is_asked_to_stop(agent: Agent) -> None:
    run = queued(agent)
    claim(run)
    assert runs.cancel(run).state == "running"
    assert runs.is_cancel_requested(run.pk)
    assert runs.requeue(run.pk, owner="w1", delay_seconds=1)
    run.refresh_from_db()
    assert run.state == "cancelled"


def test_cancelling_what_has_ended_changes_nothing(agent: Agent) -> None:
    run = queued(agent)
    claim(run)
    runs.finish(run.pk, owner="w1", state="done", result={})
    assert runs.cancel(run).state == "done"


def test_agents_are_due_by_wish_after_the_debounce_and_by_interval(agent: Agent) -> None:
    now = timezone.now()
    assert runs.due_agents(now) == [agent]  # never updated
    Agent.objects.update(last_update_at=now, last_change_at=now, next_update_at=now + timedelta(seconds=300))
    assert runs.due_agents(now) == []
    Agent.objects.update(update_requested_at=now)
    assert runs.due_agents(now + timedelta(seconds=14)) == []
    assert runs.due_agents(now + timedelta(seconds=15)) == [agent]
    Agent.objects.update(update_requested_at=None)
    assert runs.due_agents(now + timedelta(seconds=301)) == [agent]


def test_an_index_that_has_gone_or_is_damaged_is_made_again_at_once(agent: Agent) -> None:
    assert runs.agents_without_index() == []  # never updated: due anyway
    Agent.objects.update(last_update_at=timezone.now())
    assert runs.agents_without_index() == [agent]
    index = index_path("al")
    index.parent.mkdir(exist_ok=True)
    index.touch()
    assert runs.agents_without_index() == []
    mark_damaged(index, ValueError("a page"))
    assert runs.agents_without_index() == [agent]
    Agent.objects.update(last_error="The disk is full.")
    assert runs.agents_without_index() == []


def test_an_update_that_found_nothing_new_delays_nobody(agent: Agent) -> None:
    for result, due in (({"added": 0, "changed": 0, "removed": 0}, [agent]), ({"added": 1}, [])):
        run = queued(agent)
        claim(run)
        runs.finish(run.pk, owner="w1", state="done", result=result)
        Agent.objects.update(update_requested_at=timezone.now())
        assert runs.due_agents(timezone.now()) == due


def test_an_agent_with_an_active_update_or_a_memory_that_is_off_is_not_due(agent: Agent) -> None:
    run = queued(agent)
    assert runs.due_agents(timezone.now()) == []
    runs.cancel(run)
    update_agent(actor=OWNER, agent=agent, settings={"memory_enabled": False})
    assert runs.due_agents(timezone.now() + timedelta(days=1)) == []


def test_the_agents_own_interval_and_debounce_count(agent: Agent) -> None:
    own = {"update_interval_seconds": 60, "update_debounce_seconds": 1}
    agent = update_agent(actor=OWNER, agent=agent, settings=own)
    assert runs.update_interval(agent) == timedelta(seconds=60)
    assert runs.update_debounce(agent) == timedelta(seconds=1)


def test_agents_with_chunks_that_wait_get_an_embed_run_unless_they_have_one(agent: Agent) -> None:
    assert runs.agents_awaiting_embeddings() == []
    Agent.objects.update(pending_embeddings=3)
    assert runs.agents_awaiting_embeddings() == [agent]
    queued(agent, "embed")
    assert runs.agents_awaiting_embeddings() == []


def test_pruning_keeps_the_latest_of_each_kind(agent: Agent) -> None:
    for _ in range(3):
        run = queued(agent)
        claim(run)
        runs.finish(run.pk, owner="w1", state="done", result={})
    Run.objects.update(finished_at=timezone.now() - timedelta(days=3))
    assert runs.prune_runs() == 2
    assert Run.objects.get() == run


def test_who_was_changed_just_now_does_not_wait_behind_thousands(db: None, data_dir: Path) -> None:
    now = timezone.now()
    rows = [
        Agent(
            slug=f"a{number}",
            workspace=f"/w/{number}",
            update_requested_at=now - timedelta(seconds=600 - number),
            last_update_at=now - timedelta(hours=1),
            next_update_at=now + timedelta(days=1),
        )
        for number in range(3 * runs.MOST_WAITING)
    ]
    Agent.objects.bulk_create(rows)
    first = runs.due_agents(now)
    assert len(first) == runs.MOST_WAITING
    assert first[0].slug == rows[-1].slug and rows[0].slug in {agent.slug for agent in first}
    for agent in first:
        runs.request_run(agent=agent, kind="update", reason="change")
    assert runs.due_agents(now) == []
    Run.objects.filter(agent=first[3]).update(state="done")
    Agent.objects.filter(pk=first[3].pk).update(update_requested_at=None, next_update_at=now + timedelta(days=1))
    Agent.objects.filter(slug="a70").update(update_requested_at=now)
    assert [agent.slug for agent in runs.due_agents(now)] == ["a70"]
    new = Agent.objects.create(slug="new", workspace="/w/new")
    assert [agent.slug for agent in runs.due_agents(now)] == ["new"]
    runs.request_run(agent=new, kind="update", reason="schedule")
    assert runs.due_agents(now) == []
