"""as_database(): bringing a backup's database up to this version touches that database alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from agents.backup.opened import STAGED, as_database


@pytest.mark.django_db(transaction=True)
def test_its_migrations_ask_and_change_nothing_of_the_server(tmp_path: Path) -> None:
    with CaptureQueriesContext(connection) as asked, as_database(tmp_path / "control.sqlite3", STAGED):
        assert "agents_workspacewrite" in connections[STAGED].introspection.table_names()
    assert [query["sql"] for query in asked if "agents_" in query["sql"]] == []
