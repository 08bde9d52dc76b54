"""The control database as one SQLite file: a copy of one moment, taken while others go on writing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from django.db import DatabaseError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from agents.backup.opened import COPY, as_database
from agents.backup.tables import DERIVED, copy_tables, secret_tables
from agents.backup.values import BackupError
from search.sentences import sentence

CONTROL = "control.sqlite3"


def copy_control(target: Path, *, with_secrets: bool) -> None:
    """Sessions of signed-in people are as good as their passwords: they are left out unless `with_secrets`.

    A PostgreSQL database is written down row by row, from one snapshot of it. Raises `BackupError`.
    """
    if connection.vendor == "sqlite":
        _copy_file(target, with_secrets=with_secrets)
    else:
        _copy_rows(target, with_secrets=with_secrets)
    problems = control_problems(target)
    if problems:
        raise BackupError(
            sentence("The control database is damaged: {problems}.", problems=problems[0]),
            hint=sentence("See manage.py doctor. Earlier backups stay as they are."),
        )


def _copy_rows(target: Path, *, with_secrets: bool) -> None:
    try:
        with as_database(target, COPY), transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            copy_tables("default", COPY, without=(*DERIVED, *(() if with_secrets else secret_tables())))
    except DatabaseError as error:
        raise BackupError(
            sentence("The control database could not be copied: {error}.", error=str(error).strip()),
            hint=sentence("See manage.py doctor."),
        ) from error


def _copy_file(target: Path, *, with_secrets: bool) -> None:
    """With Django's own SQLite library, as one step: a page at a time would never end under a busy writer.

    A connection of its own, because one that is amid a write cannot be copied; what is not committed yet is not in it.
    """
    try:
        with closing(sqlite3.connect(control_file())) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
            # A copy of a database in WAL mode is in it too; on its own it is to be one file.
            copy.execute("PRAGMA journal_mode=DELETE")
            if not with_secrets:
                copy.execute("PRAGMA secure_delete=ON")
                if copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'django_session'").fetchone():
                    copy.execute("DELETE FROM django_session")
                copy.commit()
    except sqlite3.Error as error:
        raise BackupError(
            sentence("The control database could not be copied: {error}.", error=error),
            hint=sentence("See manage.py doctor."),
        ) from error


def control_file() -> Path:
    """Where the SQLite control database lies."""
    return Path(connection.settings_dict["NAME"])


def control_problems(path: Path) -> list[str]:
    """What SQLite finds wrong with a file that nobody else has open; [] when it is sound."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            found = [str(row[0]) for row in database.execute("PRAGMA integrity_check(5)")]
            found += [f"{row[0]} row {row[1]} points to nothing in {row[2]}" for row in _dangling(database)]
    except sqlite3.Error as error:
        return [str(error)]
    return [line for line in found if line != "ok"]


def live_problems(*, thorough: bool) -> list[str]:
    """The same of the control database in use, beside whoever writes. Raises `sqlite3.Error` when it cannot be opened.

    Through a connection of its own: a check of a large file is long, and requests wait for none of it.
    """
    check = "integrity_check" if thorough else "quick_check"
    try:
        with closing(sqlite3.connect(f"{control_file().absolute().as_uri()}?mode=rw", uri=True)) as database:
            database.execute("PRAGMA query_only=ON")
            return [str(row[0]) for row in database.execute(f"PRAGMA {check}(5)") if row[0] != "ok"]
    except sqlite3.DatabaseError as error:
        return [str(error)]


def applied_migrations() -> dict[str, str]:
    """App → its newest migration in the control database."""
    applied = sorted(MigrationRecorder(connection).applied_migrations())
    return dict(applied)


def _dangling(database: sqlite3.Connection) -> list[tuple[object, ...]]:
    return database.execute("PRAGMA foreign_key_check").fetchmany(5)
