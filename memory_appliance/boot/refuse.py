"""refuse_unfit(): a data folder that a newer version made, or amid a restore, is not touched."""

from __future__ import annotations

import json
from pathlib import Path

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from agents.backup.restore import UNFINISHED
from memory_appliance.launch.say import LaunchFailed


def refuse_unfit(data_dir: Path) -> None:
    """Raises `LaunchFailed` with what was seen and the way out."""
    _refuse_unfinished_restore(data_dir / UNFINISHED)
    unknown = unknown_migrations()
    if unknown:
        raise LaunchFailed(
            f"{data_dir} was used by a newer version: it has {len(unknown)} migrations that this one does not know, "
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


def _refuse_unfinished_restore(mark: Path) -> None:
    try:
        found = json.loads(mark.read_text())
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        found = {}
    name, folder = found.get("backup", "BACKUP"), found.get("folder", "FOLDER")
    raise LaunchFailed(
        f"a restore of {name} was cut short: this data folder is neither the old nor the new one",
        hint=f"do it again: manage.py restore {name} --from {folder} --force. What was there before is in "
        f"{found.get('kept', 'replaced/')}",
    )
