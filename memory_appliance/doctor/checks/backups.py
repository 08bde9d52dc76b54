"""Backups: there is one, it is not old, and it lies on another disk."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from agents.backup import list_backups, verify_backup
from agents.backup.catalog import backup_dir
from agents.core.paths import data_dir
from memory_appliance.doctor.check import Check, Looking, Seen, Visit


def _look(visit: Visit) -> Looking:
    whole = [backup for backup in list_backups() if not backup.control_only]
    if not whole:
        yield Seen("warning", f"There is no backup in {backup_dir()}.", "manage.py backup")
        return
    latest, age = whole[0], timezone.now() - whole[0].made_at
    text = f"{len(whole)} backups, the last {latest.name} of {latest.size / 1024**2:.1f} MB"
    hours = settings.MEMORY_BACKUP_HOURS
    if age > 2 * timedelta(hours=hours or 24 * 7):
        yield Seen(
            "warning", f"{text}: {age.days} days old.", "manage.py backup, and see why none was made by itself.", "age"
        )
    elif not visit.quick and (problems := verify_backup(latest.name).problems):
        yield Seen(
            "problem",
            f"{latest.name} is damaged: {problems[0]}.",
            "Make another: manage.py backup. Check that disk.",
            "damaged",
        )
    else:
        yield Seen("ok", f"{text}{'' if visit.quick else ', read back whole'}.")
    if backup_dir().stat().st_dev == data_dir().stat().st_dev:
        yield Seen(
            "ok",
            "Backups lie on the same disk as the data: they do not outlive it.",
            "Set MEMORY_BACKUP_DIR to another disk, or copy that folder away.",
            "place",
        )


BACKUPS = Check("backups", "Backups", _look)
