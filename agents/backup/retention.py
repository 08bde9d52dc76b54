"""thin_out(): of the backups that were made by themselves, keep the last of each day, week and month for a while."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from agents.backup.blocks import BlockStore
from agents.backup.catalog import backup_dir, list_backups, store_lock, unwritable, used_blocks
from agents.backup.values import Backup

KEEP_BEFORE_MIGRATION = 3


@dataclass(frozen=True, slots=True)
class Keep:
    """How many days, weeks and months with a backup are looked back to."""

    daily: int
    weekly: int
    monthly: int


def to_remove(backups: Iterable[Backup], keep: Keep) -> list[Backup]:
    """Pure. `backups` newest first; what was asked for by hand stays, and so does the newest of all."""
    backups = list(backups)
    scheduled = [backup for backup in backups if backup.reason == "schedule"]
    kept = {
        backup.name
        for count, form in ((keep.daily, "%Y-%m-%d"), (keep.weekly, "%G-%V"), (keep.monthly, "%Y-%m"))
        for backup in _newest_of_each(scheduled, form)[:count]
    }
    kept.update(backup.name for backup in backups[:1])
    before = [backup for backup in backups if backup.reason == "before-migration"]
    kept.update(backup.name for backup in before[:KEEP_BEFORE_MIGRATION])
    return [backup for backup in (*scheduled, *before) if backup.name not in kept]


def thin_out(*, folder: Path | None = None) -> list[str]:
    """Remove what the options do not want kept; returns the names. Raises `BackupError`."""
    folder = folder or backup_dir()
    keep = Keep(
        settings.MEMORY_BACKUP_KEEP_DAILY, settings.MEMORY_BACKUP_KEEP_WEEKLY, settings.MEMORY_BACKUP_KEEP_MONTHLY
    )
    with store_lock(folder):
        gone = to_remove(list_backups(folder), keep)
        try:
            for backup in gone:
                backup.path.unlink()
            if gone:
                BlockStore(folder).drop_unused(used_blocks(folder))
        except OSError as error:
            raise unwritable(folder, error) from error
    return [backup.name for backup in gone]


def _newest_of_each(backups: Iterable[Backup], form: str) -> list[Backup]:
    newest: dict[str, Backup] = {}
    for backup in backups:
        newest.setdefault(backup.made_at.strftime(form), backup)
    return list(newest.values())
