"""A clock that is set back: nothing waits for the old one's time, and no job is done over and over until then."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.jobs.runs import claim, due_agents, finish, mark_dispatched, request_run, requeue, stale_runs
from agents.models import Agent, Run
from agents.servers import set_back
from agents.servers.set_back import ClockWatch, make_due_again

DAY = timedelta(days=1)


@pytest.fixture
def a_day_ago(al: Agent, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """`al` was updated, changed and asked for again; then the clock was set back by a day."""
    run = request_run(agent=al, kind="update", reason="test")
    claim(run.pk, owner="w", lease_seconds=60)
    finish(run.pk, owner="w", state="done", result={"added": 1})
    Agent.objects.update(update_requested_at=timezone.now())
    now = timezone.now() - DAY
    monkeypatch.setattr(timezone, "now", lambda: now)
    return Agent.objects.get()


def test_a_wish_from_before_is_due_after_its_debounce_and_then_done_with(a_day_ago: Agent) -> None:
    assert due_agents(timezone.now()) == []
    make_due_again(timezone.now())
    assert due_agents(timezone.now()) == [a_day_ago]
    run = request_run(agent=a_day_ago, kind="update", reason="test")
    claim(run.pk, owner="w", lease_seconds=60)
    finish(run.pk, owner="w", state="done", result={})
    assert due_agents(timezone.now()) == []


@pytest.mark.parametrize("state", ["sent", "delayed", "held"])
def test_a_run_that_was_lost_is_found_within_minutes(a_day_ago: Agent, state: str) -> None:
    now = timezone.now()
    run = Run.objects.create(agent=a_day_ago, kind="embed", created_at=now)
    Run.objects.filter(pk=run.pk).update(
        dispatched_at=now + DAY,
        not_before=now + DAY if state == "delayed" else None,
        state="running" if state == "held" else "queued",
        lease_until=now + DAY if state == "held" else None,
    )
    assert stale_runs(now + timedelta(minutes=10)) == []
    make_due_again(now)
    assert [lost.pk for lost in stale_runs(now + timedelta(minutes=10))] == [run.pk]


def test_a_restarted_process_sees_it_by_the_rows(a_day_ago: Agent) -> None:
    assert ClockWatch().was_set_back()
    make_due_again(timezone.now())
    assert not ClockWatch().was_set_back()


def test_a_running_process_sees_it_by_its_other_clock(al: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = ClockWatch()
    assert not watch.was_set_back()
    assert not watch.was_set_back()
    real = set_back.time.time()
    monkeypatch.setattr(set_back.time, "time", lambda: real - 3600)
    assert watch.was_set_back()
    assert not watch.was_set_back()


def test_without_a_jump_nothing_is_touched(al: Agent) -> None:
    now = timezone.now()
    run = request_run(agent=al, kind="update", reason="test")
    mark_dispatched(run)
    claim(run.pk, owner="w", lease_seconds=60)
    requeue(run.pk, owner="w", delay_seconds=60)
    before = list(Run.objects.values()), list(Agent.objects.values())
    make_due_again(now)
    assert (list(Run.objects.values()), list(Agent.objects.values())) == before
