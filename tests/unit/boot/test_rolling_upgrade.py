"""Migrations that come after the first version may only add: an older server writes into the same tables meanwhile."""

from __future__ import annotations

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

FIRST_VERSION = "0024"
"""Nothing older than its migrations ever serves beside it."""
ADDING = (migrations.CreateModel, migrations.AddIndex, migrations.RunPython)


def breaks_older_servers(operation: Operation) -> bool:
    """Whether a server that does not know of it could not read or write any more."""
    if isinstance(operation, migrations.AddField):
        return not (operation.field.null or operation.field.has_db_default())
    return not isinstance(operation, ADDING)


@pytest.mark.parametrize(
    ("operation", "breaks"),
    [
        (migrations.AddField("agent", "x", models.IntegerField(null=True)), False),
        (migrations.AddField("agent", "x", models.CharField(db_default="")), False),
        (migrations.AddField("agent", "x", models.CharField(default="")), True),  # Django drops it from the table
        (migrations.RemoveField("agent", "name"), True),
        (migrations.RenameField("agent", "name", "title"), True),
        (migrations.CreateModel("X", [("id", models.BigAutoField(primary_key=True))]), False),
    ],
)
def test_what_an_older_server_can_live_with(operation: Operation, breaks: bool) -> None:
    assert breaks_older_servers(operation) is breaks


def test_migrations_since_the_first_version_only_add() -> None:
    """One that does more says so in CHANGELOG.md ("stop all servers first"), and is named here."""
    found = MigrationLoader(None).disk_migrations.items()
    later = {name: one for (app, name), one in found if app == "agents" and name[:4] > FIRST_VERSION}
    assert [name for name, one in later.items() if any(map(breaks_older_servers, one.operations))] == []
