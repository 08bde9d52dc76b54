"""Backups: there is one, it is not old, and it lies on another disk."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from agents.backup import list_backups, verify_backup
from agents.backup.catalog import backup_dir
from agents.core.paths import data_dir
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.sentences import sentence


def _look(visit: Visit) -> Looking:
    whole = [backup for backup in list_backups() if not backup.control_only]
    if not whole:
        yield Seen(
            "warning",
            sentence("There is no backup in {backup_dir}.", backup_dir=backup_dir()),
            sentence("manage.py backup"),
        )
        return
    latest, age = whole[0], timezone.now() - whole[0].made_at
    text = f"{len(whole)} backups, the last {latest.name} of {latest.size / 1024**2:.1f} MB"
    hours = settings.MEMORY_BACKUP_HOURS
    if age > 2 * timedelta(hours=hours or 24 * 7):
        yield Seen(
            "warning",
            sentence("{text}: {days} days old.", text=text, days=age.days),
            sentence("manage.py backup, and see why none was made by itself."),
            "age",
        )
    elif not visit.quick and (problems := verify_backup(latest.name).problems):
        yield Seen(
            "problem",
            sentence("{name} is damaged: {problems}.", name=latest.name, problems=problems[0]),
            sentence("Make another: manage.py backup. Check that disk."),
            "damaged",
        )
    else:
        yield Seen("ok", f"{text}{'' if visit.quick else ', read back whole'}.")
    if backup_dir().stat().st_dev == data_dir().stat().st_dev:
        yield Seen(
            "ok",
            sentence("Backups lie on the same disk as the data: they do not outlive it."),
            sentence("Set MEMORY_BACKUP_DIR to another disk, or copy that folder away."),
            "place",
        )


BACKUPS = Check("backups", "Backups", _look)
