"""Whose workspace a folder is: found by an index, however many agents there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.core.whose import whose_workspace
from agents.models import Agent


@pytest.mark.parametrize(
    ("folder", "whose"),
    [
        ("/data/ws/al", "al"),
        ("/data/ws/al/memory/deep", "al"),
        ("/data/ws", "al"),
        ("/", "al"),
        ("/data/ws/al-2", ""),
        ("/data/ws/al0", ""),
        ("/data/ws/a", ""),
        ("/data/w", ""),
        ("/data/ws/a%", ""),
    ],
)
def test_a_folder_is_an_agents_when_it_is_in_its_workspace_or_holds_it(db: None, folder: str, whose: str) -> None:
    Agent.objects.create(slug="al", workspace="/data/ws/al")
    assert whose_workspace(Path(folder), Agent.objects.all()) == whose


def test_no_more_rows_are_read_with_more_agents(db: None) -> None:
    Agent.objects.bulk_create(Agent(slug=f"a{number}", workspace=f"/data/ws/a{number}") for number in range(500))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert whose_workspace(Path("/data/ws/new"), Agent.objects.exclude(slug="new")) == ""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for query in queries:
                plan = str(cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}").fetchall())
                assert "SEARCH" in plan and "agents_agent_workspace" in plan, plan
