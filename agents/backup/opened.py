"""as_database(), other_database(): one more database of Django's, for a while."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connections
from django.db.utils import load_backend

from agents.backup.values import BackupError
from search.sentences import sentence

STAGED = "staged"
"""The name of a backup's control database while it is looked into."""
COPY = "copy"
"""The name of one that is being written."""


@contextmanager
def as_database(path: Path, name: str) -> Iterator[None]:
    """A SQLite file: made when it is not there, and brought up to this version."""
    values = {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {"transaction_mode": "IMMEDIATE"},
        "CONN_MAX_AGE": 0,
    }
    try:
        with other_database(values, name):
            yield
    except sqlite3.Error as error:
        raise BackupError(
            sentence("{name} cannot be used: {error}.", name=path.name, error=error), hint=sentence("Use another one.")
        ) from error


@contextmanager
def other_database(values: dict[str, Any], name: str) -> Iterator[None]:
    """`values` as in Django's DATABASES. Brought up to this version; of this thread alone, in the block alone."""
    values = {**connections.settings["default"], **values}
    connections[name] = load_backend(values["ENGINE"]).DatabaseWrapper(values, name)
    try:
        call_command("migrate", database=name, verbosity=0, interactive=False)
        yield
    finally:
        connections[name].close()
        del connections[name]
