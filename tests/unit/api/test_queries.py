"""Calls read the control database a fixed number of times, whatever it holds."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Agent
from tests import cast
from tests.unit.api.conftest import Api

READS = {"search": {"query": "spare key"}, "get": {"path": "MEMORY.md"}}


@pytest.fixture
def used_key(as_owner: Api, al: Agent) -> Api:
    """The owner's key, noted as used within this minute."""
    as_owner.get("/agents/al")
    return as_owner


@pytest.mark.parametrize(("call", "queries"), [("search", 6), ("get", 5)])
def test_a_get_reads_key_agent_collections_rules_and_shares_and_a_search_who_embeds_too(
    used_key: Api, django_assert_num_queries: Any, call: str, queries: int
) -> None:
    with django_assert_num_queries(queries):
        assert used_key.post(f"/agents/al/{call}", READS[call]).status_code == 200


@pytest.mark.parametrize(("path", "queries"), [("/agents", 2), ("/runs", 2), ("/audit", 2), ("/keys", 2)])
def test_a_list_takes_as_many_queries_for_many_rows(
    used_key: Api, django_assert_num_queries: Any, path: str, queries: int
) -> None:
    for number in range(5):
        cast.agent_with(f"more-{number}", {})
        used_key.post(f"/agents/more-{number}/rebuild")
    with django_assert_num_queries(queries):
        assert used_key.get(path).json()["items"]
