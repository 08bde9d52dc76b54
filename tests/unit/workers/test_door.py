"""The door of every job: whatever the job does, its run says what became of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.indexes.specs import index_spec
from agents.jobs.runs import cancel, claim
from agents.models import Agent, Run
from search.errors import Cancelled, EmbedderUnavailable, IndexBusy, SearchError
from search.index.report import Progress
from search.index.update import update_index
from workers.door import SLOTS, HandBack, forget_if_deleted, work_on
from workers.lease import Lease
from workers.stopping import STOPPING

NewRun = Callable[[str], Run]


def raising(error: Exception) -> Callable[[Run, Lease], dict[str, Any]]:
    def job(run: Run, lease: Lease) -> dict[str, Any]:
        raise error

    return job


def after(run: Run, job: Callable[[Run, Lease], dict[str, Any]]) -> Run:
    work_on(run.pk, run.kind, job)
    run.refresh_from_db()
    return run


def test_a_job_that_returns_is_done_with_its_result_and_its_last_progress(new_run: NewRun) -> None:
    def job(run: Run, lease: Lease) -> dict[str, Any]:
        lease.progress(Progress(3, 4, "files"))
        return {"scanned": 4}

    run = after(new_run("update"), job)
    assert (run.state, run.result, run.done, run.total) == ("done", {"scanned": 4}, 3, 4)


def test_an_engine_error_fails_the_run_with_its_hint(new_run: NewRun) -> None:
    run = after(new_run("update"), raising(SearchError("The disk is full.", hint="Free some space.")))
    assert (run.state, run.error) == ("failed", "The disk is full. Free some space.")


def test_an_unexpected_error_is_one_line_for_the_owner_and_a_traceback_for_the_log(new_run: NewRun) -> None:
    run = new_run("update")
    with pytest.raises(ZeroDivisionError):
        work_on(run.pk, "update", raising(ZeroDivisionError("secret text")))
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "Unexpected ZeroDivisionError; see the worker's log.")


def test_a_busy_index_sends_the_run_back_for_a_moment(new_run: NewRun) -> None:
    run = after(new_run("update"), raising(IndexBusy("held")))
    assert run.state == "queued"
    assert run.not_before is not None and run.not_before > timezone.now()


def test_a_missing_model_leaves_the_run_waiting_with_the_reason(new_run: NewRun) -> None:
    run = after(new_run("embed"), raising(EmbedderUnavailable("still building: 12 of 83.")))
    assert (run.state, run.error) == ("queued", "still building: 12 of 83.")


def test_progress_goes_on_over_the_bouts_of_one_run(new_run: NewRun) -> None:
    def bout(run: Run, lease: Lease) -> dict[str, Any]:
        lease.progress(Progress(5, 8, "chunks"))
        raise HandBack

    run = after(after(new_run("embed"), bout), bout)
    assert (run.state, run.done, run.total) == ("queued", 10, 13)


def test_a_cancelled_job_ends_as_cancelled(new_run: NewRun) -> None:
    def job(run: Run, lease: Lease) -> dict[str, Any]:
        cancel(run)
        lease.report()
        assert lease.cancelled()
        raise Cancelled("stopped")

    assert after(new_run("update"), job).state == "cancelled"


def test_a_worker_that_stops_hands_its_run_back(new_run: NewRun) -> None:
    def job(run: Run, lease: Lease) -> dict[str, Any]:
        STOPPING.set()
        assert lease.cancelled()
        raise Cancelled("stopped")

    try:
        run = after(new_run("update"), job)
    finally:
        STOPPING.clear()
    assert (run.state, run.error) == ("queued", "")


def test_a_run_that_another_worker_took_over_is_left_alone(new_run: NewRun) -> None:
    def job(run: Run, lease: Lease) -> dict[str, Any]:
        Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        assert claim(run.pk, owner="another", lease_seconds=60)
        lease.report()
        assert lease.cancelled()
        raise Cancelled("the lease is lost")

    run = after(new_run("update"), job)
    assert (run.state, run.lease_owner) == ("running", "another")


def test_a_run_that_is_gone_is_no_error(al: Agent) -> None:
    work_on(987_654, "update", raising(AssertionError("must not be called")))


def test_a_run_held_by_another_is_not_worked_on(new_run: NewRun) -> None:
    run = new_run("update")
    assert claim(run.pk, owner="another", lease_seconds=60)
    assert after(run, raising(AssertionError("must not be called"))).state == "running"


def test_no_second_embedding_job_starts_in_one_worker(new_run: NewRun) -> None:
    with SLOTS[Run.Kind.EMBED]:
        assert after(new_run("embed"), raising(AssertionError("must not be called"))).state == "queued"
    assert after(new_run("embed"), lambda run, lease: {}).state == "done"


def test_an_agent_deleted_meanwhile_leaves_no_index_behind(new_run: NewRun, al: Agent) -> None:
    def job(run: Run, lease: Lease) -> dict[str, Any]:
        spec = index_spec(run.agent)
        Agent.objects.filter(pk=run.agent_id).delete()
        update_index(spec, identity=None, progress=lease.progress, cancelled=lambda: False)
        forget_if_deleted(run, spec)
        return {}

    path = index_spec(al).path
    work_on(new_run("update").pk, "update", job)
    assert not path.exists()
