"""read_whatever_is_stored(): what SQLite holds in a column of another type is read as something, not raised.

SQLite keeps any value in any column. Django reads rows many at a time, so one month 13, written by a person with a
database tool, would end the sweep and the lists of all agents.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self

from django.db import models
from django.db.backends.signals import connection_created
from django.utils.dateparse import parse_datetime

NO_TIME = datetime(1970, 1, 1)
"""For what is no time: long over, so that a key, a session or a lease that ends then has ended."""


def read_whatever_is_stored() -> None:
    """For the whole process. Other databases hold a column to its type."""
    import django.db.backends.sqlite3.base  # noqa: F401 - registers its own converters first

    for kind in ("datetime", "timestamp"):
        sqlite3.register_converter(kind, _moment)
    connection_created.connect(_read_texts, dispatch_uid="read_texts")


class ReadAsText(models.Model):
    """Rows in which bytes stand for texts: SQLite keeps those as bytes, whatever the column."""

    class Meta:
        abstract = True

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **more: Any) -> Self:
        texts = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in values]
        return super().from_db(db, field_names, texts, **more)


def is_no_time(value: datetime | None) -> bool:
    return value == NO_TIME.replace(tzinfo=UTC)


def _moment(stored: bytes) -> datetime:
    try:
        return parse_datetime(stored.decode()) or NO_TIME
    except ValueError:
        return NO_TIME


def _read_texts(connection: Any, **_: Any) -> None:
    if connection.vendor == "sqlite":
        connection.connection.text_factory = partial(str, encoding="utf-8", errors="replace")
