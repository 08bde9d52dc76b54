"""Control database: it answers, it is sound, and it is of this version."""

from __future__ import annotations

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from agents.backup.control import control_file, live_problems
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from memory_appliance.doctor.database import database_problem
from search.sentences import sentence

_RESTORE = "Stop the server, then: manage.py restore latest --force. What is there now is kept beside it."

_POSTGRESQL = "Start PostgreSQL, or set DATABASE_URL right. The server goes on as soon as it answers."


def _look(visit: Visit) -> Looking:
    if problem := database_problem():
        todo = f"Start the server once. If that fails too: {_RESTORE}" if connection.vendor == "sqlite" else _POSTGRESQL
        yield Seen("problem", sentence("It cannot be read: {problem}.", problem=problem), todo)
        return
    waiting = _unapplied()
    if waiting:
        yield Seen(
            "problem",
            sentence(
                "{count} migrations are not applied: {waiting}.", count=len(waiting), waiting=", ".join(waiting[:3])
            ),
            sentence("Restart the server."),
            "migrations",
        )
    if connection.vendor != "sqlite":
        yield Seen(
            "ok",
            sentence(
                "{display_name} answers; its soundness is for its own tools to tell.",
                display_name=connection.display_name,
            ),
        )
        return
    found = live_problems(thorough=not visit.quick)
    if found:
        yield Seen(
            "problem",
            sentence("{control_file} is damaged: {found}.", control_file=control_file(), found=found[0]),
            _RESTORE,
            "integrity",
        )
    elif not waiting:
        yield Seen(
            "ok",
            sentence(
                "{control_file} is sound ({st_size:.1f} MB).",
                control_file=control_file(),
                st_size=control_file().stat().st_size / 1024**2,
            ),
        )


def _unapplied() -> list[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


CONTROL_DATABASE = Check("control-database", "Control database", _look)
