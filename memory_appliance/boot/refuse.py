"""refuse_unfit(): a folder of a newer version is not touched; undo_whole_restore(): none is served amid a restore."""

from __future__ import annotations

from pathlib import Path

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from agents.backup import BackupError
from agents.backup.restore import JOURNAL, undo_restore
from agents.core.paths import data_dir
from memory_appliance.boot.say import LaunchFailed


def refuse_unfit(folder: Path) -> None:
    """Raises `LaunchFailed` with what was seen and the way out."""
    unknown = unknown_migrations()
    if unknown:
        raise LaunchFailed(
            f"{folder} was used by a newer version: it has {len(unknown)} migrations that this one does not know, "
            f"such as {unknown[-1]}",
            hint="start the newer version again; to go back to this one, restore the backup that was made before the "
            "upgrade: manage.py backup list, then manage.py restore NAME --force",
        )


def unknown_migrations() -> list[str]:
    """Applied to the control database, and not part of this version; apps that are not installed do not count."""
    applied = MigrationRecorder(connection).applied_migrations()
    known = MigrationLoader(None).disk_migrations
    installed = {config.label for config in apps.get_app_configs()}
    return sorted(f"{app}.{name}" for app, name in applied if app in installed and (app, name) not in known)


def undo_whole_restore() -> str:
    """A restore of the whole server that was killed is undone; the command that does it again, or "".

    Nothing has touched the control database yet: its file may be the one of then. Raises `LaunchFailed`.
    """
    try:
        undone = undo_restore()
    except BackupError as error:
        if not (data_dir() / JOURNAL).exists():
            return ""  # one of a single agent is at work
        raise LaunchFailed(error.message.rstrip("."), hint=error.hint) from error
    return f"manage.py restore {undone['backup']} --from {undone['folder']} --force" if undone else ""
