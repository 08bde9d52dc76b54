"""The table of jobs, and that everything is drawn from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import translation

from agents.models import Run
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.programs import programs
from memory_appliance.web.agent.job_words import KINDS, job_of
from workers import door, jobs
from workers.app import app
from workers.queues import WORKER_QUEUES


def test_every_kind_has_a_row() -> None:
    assert set(jobs.JOBS) == set(Run.Kind) == set(door.SLOTS)
    assert {kind.value for kind in Run.Kind} == set(KINDS)


@pytest.mark.parametrize("job", jobs.JOBS.values(), ids=lambda job: job.kind.value)
def test_every_row_can_be_carried_out(job: jobs.Job) -> None:
    app.loader.import_default_modules()
    assert job.task in app.tasks and job.queue in WORKER_QUEUES
    assert job.slots >= 1 and job.lease_seconds >= 60


def test_all_jobs_at_once_leave_a_thread_for_each_round(tmp_path: Path) -> None:
    table = programs(Layout(tmp_path, "127.0.0.1", 1), own_broker=True, web_workers=1, web_threads=1)
    command = next(program.command for program in table if program.name == "worker")
    threads = int(command[command.index("--concurrency") + 1])
    slots = sum(job.slots for job in jobs.JOBS.values())
    assert threads == slots + len(jobs.ROUNDS)


@pytest.mark.parametrize("kind", Run.Kind.values)
def test_the_pages_name_every_kind_in_both_languages(kind: str) -> None:
    run = Run(kind=kind, state="done", result={})
    with translation.override("en"):
        english = str(job_of(run).kind)
    with translation.override("zh-hans"):
        chinese = str(job_of(run).kind)
    assert english and english != kind and not chinese.isascii()
