"""migrate(): bring the control database up to this version, with a copy of it made before."""

from __future__ import annotations

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from agents.backup import BackupError, make_backup, thin_out
from memory_appliance.boot.say import LaunchFailed, say


def migrate() -> int:
    """Returns how many migrations were applied. Raises `LaunchFailed` when there is no room for the copy.

    A new database has nothing to lose, and one of PostgreSQL is dumped by its own tools: said, not done.
    """
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return 0
    if MigrationRecorder(connection).applied_migrations():
        _copy_before(len(plan))
    call_command("migrate", verbosity=0, interactive=False)
    return len(plan)


def _copy_before(count: int) -> None:
    if connection.vendor != "sqlite":
        say(f"     {count} migrations follow; {connection.display_name} is backed up by its own tools, not here")
        return
    try:
        made = make_backup(reason="before-migration", control_only=True)
        thin_out()
    except BackupError as error:
        raise LaunchFailed(
            f"the control database is not migrated without a backup of it: {error.message}", hint=error.hint
        ) from error
    say(f"     {count} migrations follow; the control database is kept as backup {made.name}")
