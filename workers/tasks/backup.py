"""Backup: make one when it is due or asked for, and let old ones go."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from agents.backup import BackupError, Progress, make_backup, thin_out
from agents.backup.schedule import backup_is_due
from agents.jobs.runs import request_backup
from agents.models import Run
from agents.servers.rounds import my_turn
from search.errors import SearchError
from search.index.report import Progress as RunProgress
from workers.app import app
from workers.dispatch import dispatch
from workers.door import HandBack, work_on
from workers.lease import Lease

BUSY_SECONDS = 60.0


@app.task(name="workers.backup_when_due")
def backup_when_due() -> None:
    if my_turn("backup", seconds=60) and backup_is_due(timezone.now()):
        dispatch(request_backup(reason="schedule"))


@app.task(name="workers.backup")
def backup(run_id: int) -> None:
    work_on(run_id, Run.Kind.BACKUP, _backup)


def _backup(run: Run, lease: Lease) -> dict[str, Any]:
    def progress(report: Progress) -> None:
        lease.progress(RunProgress(report.done, report.total, "files"))

    try:
        made = make_backup(
            reason="schedule" if run.reason == "schedule" else "request", progress=progress, cancelled=lease.cancelled
        )
        removed = thin_out()
    except BackupError as error:
        if error.code == "backup_running":
            raise HandBack(error.message, delay_seconds=BUSY_SECONDS) from error
        raise SearchError(error.message, hint=error.hint) from error
    return {"backup": made.name, "files": made.files, "bytes": made.size, "added": made.added, "removed": removed}
