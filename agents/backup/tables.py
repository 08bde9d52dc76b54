"""copy_tables(): every row of the control plane from one database to another, as it is, whatever engine either has."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.management.color import no_style
from django.db import connections, models, transaction
from django.db.models.sql import InsertQuery

from agents.models import Embedding

DERIVED: Collection[type[models.Model]] = (Embedding,)
"""Made again from the notes: in no copy of the control database."""
_ROWS = 200


def copy_tables(source: str, target: str, *, without: Collection[type[models.Model]] = ()) -> None:
    """What the target held before is gone, in one transaction. Both are of this version."""
    tables = all_tables()
    connection = connections[target]
    with connection.constraint_checks_disabled(), transaction.atomic(target):
        _empty(target, tables)
        for model in tables:
            if model not in without:
                for rows in _batches(model, source):
                    insert(model, rows, target)
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), tables):
                cursor.execute(statement)


def all_tables() -> list[type[models.Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def secret_tables() -> Collection[type[models.Model]]:
    """Sessions of signed-in people are as good as their passwords."""
    return (Session,)


def _empty(target: str, tables: list[type[models.Model]]) -> None:
    """All at once, because rows of one point to rows of another."""
    connection = connections[target]
    names = [model._meta.db_table for model in tables]
    with connection.cursor() as cursor:
        for statement in connection.ops.sql_flush(no_style(), names, allow_cascade=True):
            cursor.execute(statement)


def _batches(model: type[models.Model], source: str) -> Iterator[list[models.Model]]:
    rows = model._base_manager.using(source).order_by("pk").iterator(_ROWS)
    while batch := list(islice(rows, _ROWS)):
        yield batch


def insert(model: type[models.Model], rows: list[models.Model], target: str, *, numbered: bool = True) -> None:
    """As they are: `bulk_create` would write the time of now into fields that say when something was.

    Not `numbered`: the target gives each row a number of its own, which is not told.
    """
    fields = [field for field in model._meta.concrete_fields if numbered or not field.primary_key]
    query = InsertQuery(model)
    query.insert_values(fields, rows, raw=True)
    query.get_compiler(using=target).execute_sql()
