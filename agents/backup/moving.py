"""move_control(): every row of the control database into an empty one of another engine, compared before it counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import DatabaseError, DataError, IntegrityError, connection, models, transaction
from django.utils import timezone

from agents.backup.control import control_problems
from agents.backup.opened import as_database, other_database
from agents.backup.tables import DERIVED, all_tables, copy_tables, insert
from agents.backup.values import BackupError
from agents.models import Agent, ApiKey
from search.sentences import sentence

_TARGET = "move"
_SIDE_FILES = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class MovedTable:
    """`digest` is the same for the same rows, in whatever order and engine."""

    name: str
    rows: int
    digest: str


def move_control(target: dict[str, Any]) -> tuple[MovedTable, ...]:
    """`target`, as in Django's DATABASES: a PostgreSQL database without agents, people and keys.

    All or nothing: one transaction, committed when each table holds the same rows. The source stays as it is; no server
    may run on it. Raises `BackupError`.
    """
    with _explained(), other_database(target, _TARGET):
        _refuse_what_is_there()
        return _copy_and_compare()


def move_control_to_file(path: Path) -> tuple[tuple[MovedTable, ...], Path | None]:
    """The same into the SQLite file `path`, written beside it and renamed at the end.

    What lies there is an older control database: kept under the name that is returned.
    """
    beside = path.with_name(f"{path.name}.moving")
    _remove(beside)
    try:
        with _explained(), as_database(beside, _TARGET):
            moved = _copy_and_compare()
        if problems := control_problems(beside):
            raise BackupError(
                sentence("The copy is damaged: {problems}.", problems=problems[0]),
                hint=sentence("Check the disk, and try again."),
            )
        kept = _set_aside(path) if path.exists() else None
        beside.rename(path)
    finally:
        _remove(beside)
    return moved, kept


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        raise BackupError(
            sentence("The database cannot be used: {error}.", error=str(error).strip()),
            hint=sentence("Nothing was moved. The user of the address needs the right to create tables."),
        ) from error


def _refuse_what_is_there() -> None:
    for model, what in ((Agent, "agents"), (User, "people"), (ApiKey, "keys")):
        if model._default_manager.using(_TARGET).exists():
            raise BackupError(
                sentence("There are {what} in that database already.", what=what),
                hint=sentence("Name an empty one."),
                code="not_empty",
            )


def _copy_and_compare() -> tuple[MovedTable, ...]:
    """The source is read as of one moment: SQLite's transactions here begin with the lock of its one writer."""
    with transaction.atomic("default"), transaction.atomic(_TARGET):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        try:
            copy_tables("default", _TARGET, without=DERIVED)
        except DataError as error:
            raise _refused_row(error) from error
        tables = [model for model in all_tables() if model not in DERIVED]
        moved = tuple(_look(model, _TARGET) for model in tables)
        for model, there in zip(tables, moved, strict=True):
            here = _look(model, "default")
            if here != there:
                raise BackupError(
                    sentence(
                        "{name} is not the same there: {rows} rows of {rows_2}, or other values.",
                        name=here.name,
                        rows=there.rows,
                        rows_2=here.rows,
                    ),
                    hint=sentence("Nothing was moved. Please report this."),
                )
    return moved


def _look(model: type[models.Model], database: str) -> MovedTable:
    names = [field.attname for field in model._meta.concrete_fields]
    rows, total = 0, 0
    for row in model._base_manager.using(database).order_by("pk").values_list(*names).iterator(1000):
        text = json.dumps([_plain(value) for value in row], sort_keys=True, default=str)
        total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
        rows += 1
    return MovedTable(model._meta.db_table, rows, f"{total % 2**256:064x}")


def _plain(value: object) -> object:
    """PostgreSQL's JSON knows one kind of number: 100.0 comes back as it went, 1e22 as a whole number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else value


def _refused_row(error: DataError) -> BackupError:
    """Which row it is: PostgreSQL takes no zero byte and nothing longer than its column, SQLite looks at neither."""
    for model in all_tables():
        for row in model._base_manager.using("default").order_by("pk").iterator(1000):
            try:
                with transaction.atomic(_TARGET):
                    insert(model, [row], _TARGET)
                    transaction.set_rollback(True, using=_TARGET)
            except IntegrityError:
                continue  # such a row is there already; it is not the one that was refused
            except DataError as refusal:
                return BackupError(
                    sentence(
                        "Row {pk} of {db_table} cannot be stored there: {refusal}.",
                        pk=row.pk,
                        db_table=model._meta.db_table,
                        refusal=str(refusal).strip(),
                    ),
                    hint=sentence("Nothing was moved. Change that entry with the server as it is now, and try again."),
                )
    return BackupError(
        sentence("A row cannot be stored there: {error}.", error=str(error).strip()),
        hint=sentence("Nothing was moved."),
    )


def _set_aside(path: Path) -> Path:
    kept = path.with_name(f"{path.name}.aside-{timezone.now():%Y%m%dT%H%M%S}")
    for suffix in _SIDE_FILES:
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(kept.with_name(kept.name + suffix))
    return kept


def _remove(path: Path) -> None:
    for suffix in _SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
