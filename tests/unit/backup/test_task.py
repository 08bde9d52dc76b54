"""The job: a run like any other, due by the hour, thinned out afterwards."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.backup import list_backups, make_backup
from agents.backup.catalog import store_lock
from agents.backup.schedule import backup_is_due
from agents.jobs.runs import request_backup
from agents.models import Agent, Run
from workers.tasks.backup import backup


@pytest.fixture(autouse=True)
def _no_broker(settings: Any, tmp_path: Path) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/nobody.sock"


def test_a_run_makes_a_backup_and_says_what_came_of_it(al: Agent, backups: Path) -> None:
    run = request_backup(reason="schedule")
    backup(run.pk)
    run.refresh_from_db()
    made = list_backups()[0]
    assert (run.state, run.result["backup"], run.result["files"]) == ("done", made.name, made.files)
    assert made.reason == "schedule"


def test_asking_twice_joins_the_one_that_waits(backups: Path) -> None:
    assert request_backup(reason="request") == request_backup(reason="schedule")


def test_while_another_is_made_the_run_waits(backups: Path) -> None:
    run = request_backup(reason="request")
    with store_lock(backups):
        backup(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == ("queued", "Another backup is being made.")


def test_a_folder_that_cannot_be_used_is_a_failed_run_with_advice(backups: Path, settings: Any) -> None:
    settings.MEMORY_BACKUP_DIR = Path("/proc/sys/backups")
    run = request_backup(reason="request")
    backup(run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "MEMORY_BACKUP_DIR" in run.error


def test_a_cancelled_run_leaves_no_backup(al: Agent, backups: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("workers.lease.REPORT_SECONDS", 0.0)
    run = request_backup(reason="request")
    Run.objects.filter(pk=run.pk).update(cancel_requested=True)
    backup(run.pk)
    run.refresh_from_db()
    assert (run.state, list_backups()) == ("cancelled", ())


def test_it_is_due_hours_after_the_last_whole_one(backups: Path, settings: Any) -> None:
    settings.MEMORY_BACKUP_HOURS = 24
    now = timezone.now()
    assert backup_is_due(now)
    make_backup(control_only=True)
    assert backup_is_due(now)
    make_backup()
    assert not backup_is_due(now + timedelta(hours=23))
    assert backup_is_due(now + timedelta(hours=25))


def test_it_is_never_due_when_the_owner_does_not_want_it(backups: Path, settings: Any) -> None:
    settings.MEMORY_BACKUP_HOURS = 0
    assert not backup_is_due(timezone.now())


def test_a_backup_from_the_future_does_not_hold_up_the_next(backups: Path, settings: Any) -> None:
    settings.MEMORY_BACKUP_HOURS = 24
    make_backup()
    assert backup_is_due(timezone.now() - timedelta(days=300))


def test_after_a_failure_an_hour_passes(backups: Path, settings: Any) -> None:
    settings.MEMORY_BACKUP_HOURS = 24
    now = timezone.now()
    Run.objects.create(kind="backup", state="failed", finished_at=now)
    assert not backup_is_due(now + timedelta(minutes=59))
    assert backup_is_due(now + timedelta(minutes=61))
