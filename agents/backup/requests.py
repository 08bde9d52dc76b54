"""request_backup(), verify_backup(), remove_backup(): what a person asks of the backups, recorded in the audit log."""

from __future__ import annotations

from django.db import transaction

from agents import backup
from agents.backup.values import ReportProgress
from agents.core.actors import Actor
from agents.core.audit import record
from agents.jobs import runs
from agents.models import Run


def request_backup(*, actor: Actor) -> Run:
    """Make (or join) the run that makes one; dispatching it is the door's part."""
    with transaction.atomic():
        run = runs.request_backup(reason="request")
        record(actor=actor, action="backup.request", detail={"run": run.public_id})
    return run


def verify_backup(*, actor: Actor, name: str, progress: ReportProgress = lambda _: None) -> backup.Verified:
    """Read one back, block by block. Raises `BackupError` when there is none of this name."""
    verified = backup.verify_backup(name, progress=progress)
    record(actor=actor, action="backup.verify", target=verified.name, detail={"problems": len(verified.problems)})
    return verified


def remove_backup(*, actor: Actor, name: str) -> int:
    """Forget one and free what only it needs: how many bytes. Raises `BackupError`."""
    freed = backup.remove_backup(name)
    record(actor=actor, action="backup.remove", target=name, detail={"freed": freed})
    return freed
