"""`manage.py bench`: times of an agent's own searches, and one clear line when there is nothing to time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command

from agents.indexes.specs import index_spec
from agents.models import Agent
from search.evaluation.sample import sample_queries
from tests import cast


def test_it_times_every_mode_and_names_sizes_and_machine(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("bench", "--agent", "al", "--times", "3", "--json")
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [row["mode"] for row in told["modes"]] == ["search", "vsearch", "hybrid", "query"]
    assert all(0 < row["p50_ms"] <= row["p95_ms"] + 0.1 and row["searches"] for row in told["modes"])
    assert told["chunks"] and told["machine"][0].startswith("machine")


def test_p95_of_few_searches_is_no_longer_than_the_slowest(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    cast.index(cast.agent_with("many", {f"memory/{word}.md": f"The {word} is here.\n" for word in ("boat", "cat")}))
    call_command("bench", "--agent", "many", "--mode", "search", "--json")
    (row,) = json.loads(capsys.readouterr().out)["modes"]
    assert row["searches"] > 1 and row["p95_ms"] <= row["slowest_ms"]


def test_a_search_without_vectors_is_told(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("bench", "--mode", "hybrid", "--query", "spare key")
    captured = capsys.readouterr()
    assert "hybrid" in captured.out and "no_query_vector" in captured.err


@pytest.mark.parametrize("times", ["0", "100000", "-1"])
def test_a_number_of_searches_out_of_bounds_is_refused(
    al: Agent, capsys: pytest.CaptureFixture[str], times: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("bench", "--times", times)
    assert ended.value.code == 1 and "--times" in capsys.readouterr().err


def test_an_agent_without_notes_has_nothing_to_time(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    cast.index(cast.agent_with("empty", {}))
    with pytest.raises(SystemExit):
        call_command("bench", "--agent", "empty")
    assert "no chunks" in capsys.readouterr().err


def test_queries_come_from_the_notes_and_are_the_same_each_time(al: Agent) -> None:
    queries = sample_queries(index_spec(al), 5)
    assert queries and queries == sample_queries(index_spec(al), 5)
    assert all(0 < len(query) <= 120 for query in queries)
