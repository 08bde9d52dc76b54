"""as_database(): a SQLite file as one more database of Django's, for a while."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connections
from django.db.backends.sqlite3.base import DatabaseWrapper

from agents.backup.values import BackupError

STAGED = "staged"
"""The name of a backup's control database while it is looked into."""
COPY = "copy"
"""The name of one that is being written."""


@contextmanager
def as_database(path: Path, name: str) -> Iterator[None]:
    """Made when it is not there, and brought up to this version. Of this thread alone, for the length of the block."""
    values = {
        **connections.settings["default"],
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {"transaction_mode": "IMMEDIATE"},
        "CONN_MAX_AGE": 0,
    }
    connections[name] = DatabaseWrapper(values, name)
    try:
        call_command("migrate", database=name, verbosity=0, interactive=False)
        yield
    except sqlite3.Error as error:
        raise BackupError(f"{path.name} cannot be used: {error}.", hint="Use another one.") from error
    finally:
        connections[name].close()
        del connections[name]
