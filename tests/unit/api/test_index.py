"""/agents/{slug}/status and /files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from agents.models import Agent
from tests import cast
from tests.unit.api.conftest import Api, error_of


def test_the_status_counts_what_is_indexed_and_what_waits(as_helper: Api, al: Agent) -> None:
    status = as_helper.get("/agents/al/status").json()
    assert (status["files"], status["embedded"], status["pending"]) == (1, 0, status["chunks"])
    assert status["capabilities"]["fts"] is True
    assert [(part["name"], part["files"]) for part in status["collections"]] == [("memory", 1)]


def test_a_file_that_was_skipped_is_listed_as_a_problem(as_helper: Api, al: Agent) -> None:
    (Path(al.workspace) / "memory" / "link.md").symlink_to("/etc/hostname")
    cast.index(al)
    problems = as_helper.get("/agents/al/status").json()["collections"][0]["problems"]
    assert [item["path"] for item in problems] == ["memory/link.md"]
    assert "symlink" in problems[0]["problem"]


def test_an_agent_without_an_index_has_a_status(as_owner: Api, data_dir: Path) -> None:
    cast.agent_with("new", {})
    status = as_owner.get("/agents/new/status").json()
    assert (status["exists"], status["files"]) == (False, 0)
    assert as_owner.get("/agents/new/files").json() == {"items": []}


def test_files_are_listed_with_time_and_size(as_helper: Api, al: Agent) -> None:
    [item] = as_helper.get("/agents/al/files").json()["items"]
    assert (item["path"], item["collection"], item["chunks"]) == ("MEMORY.md", "memory", 1)
    assert item["size"] == (Path(al.workspace) / "MEMORY.md").stat().st_size
    assert datetime.fromisoformat(item["modified"]).tzinfo is not None


@pytest.mark.parametrize("query", ["limit=0", "offset=-1", "offset=x"])
def test_a_bad_page_is_refused_by_name(as_helper: Api, query: str) -> None:
    assert error_of(as_helper.get(f"/agents/al/files?{query}"))["field"] == query.split("=")[0]
