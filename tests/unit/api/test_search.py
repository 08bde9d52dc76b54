"""/agents/{slug}/search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.models import Agent
from tests import cast
from tests.unit.api.conftest import Api, error_of

SEARCH = "/agents/al/search"
MAIN = {"key": "agent:al:main"}


def test_a_note_is_found_by_its_words(as_owner: Api, al: Agent) -> None:
    answer = as_owner.post(SEARCH, {"query": "where is the spare key"}).json()
    hit = answer["results"][0]
    assert (answer["outcome"], answer["requested_mode"], hit["path"]) == ("ok", "hybrid", "MEMORY.md")
    assert hit["start_line"] <= 3 <= hit["end_line"]
    assert "blue pot" in hit["snippet"]
    assert 0 < hit["score"] <= 1
    assert answer["took_ms"] > 0


def test_what_was_missing_is_named(as_owner: Api, al: Agent) -> None:
    answer = as_owner.post(SEARCH, {"query": "spare key"}).json()
    assert answer["mode"] == "search"
    assert "no_query_vector" in {item["code"] for item in answer["degraded"]}


def test_a_denial_names_the_rule(as_helper: Api, al: Agent) -> None:
    answer = as_helper.post(SEARCH, {"query": "spare key", "session": {"key": "agent:al:cron:nightly"}})
    assert (answer.status_code, answer.json()["outcome"], answer.json()["results"]) == (200, "denied", [])
    assert answer.json()["scope"]["rule"] is None and "cron" in answer.json()["scope"]["reason"]


def test_without_a_session_only_a_trusted_key_is_the_owner(as_owner: Api, as_helper: Api, al: Agent) -> None:
    assert as_owner.post(SEARCH, {"query": "spare key"}).json()["outcome"] == "ok"
    assert as_helper.post(SEARCH, {"query": "spare key"}).json()["outcome"] == "denied"


@pytest.mark.parametrize(
    ("citations", "key", "shown"),
    [
        ("auto", "agent:al:telegram:direct:42", True),
        ("auto", "agent:al:telegram:group:42", False),
        ("on", "agent:al:telegram:group:42", True),
        ("off", "agent:al:telegram:direct:42", False),
    ],
)
def test_citations_are_shown_as_asked(as_owner: Api, al: Agent, citations: str, key: str, shown: bool) -> None:
    as_owner.put("/agents/al/scope", {"default": "allow", "rules": [], "confirm_open": True})
    answer = as_owner.post(SEARCH, {"query": "spare key", "citations": citations, "session": {"key": key}}).json()
    assert answer["citations"] == citations
    hit = answer["results"][0]
    assert hit.get("citation", "").startswith("MEMORY.md#L") is shown
    assert ("Source: MEMORY.md#L" in hit["snippet"]) is shown


def test_a_score_can_be_explained(as_owner: Api, al: Agent) -> None:
    plain = as_owner.post(SEARCH, {"query": "spare key"}).json()["results"][0]
    hit = as_owner.post(SEARCH, {"query": "spare key", "explain": True}).json()["results"][0]
    assert "explain" not in plain
    assert hit["explain"]["score"] == pytest.approx(hit["score"], abs=1e-5)
    assert isinstance(hit["explain"]["keyword_rank"], int)


def test_a_request_sets_numbers_of_the_ranking_for_itself(as_owner: Api, al: Agent) -> None:
    body = {"query": "spare key", "explain": True}
    usual = as_owner.post(SEARCH, body).json()["results"][0]["explain"]
    own = as_owner.post(SEARCH, body | {"ranking": {"profile": "reference", "candidates": 10}}).json()
    assert own["results"][0]["explain"]["keyword_score"] != usual["keyword_score"]
    assert as_owner.post(SEARCH, body).json()["results"][0]["explain"]["keyword_score"] == usual["keyword_score"]


def test_nothing_below_a_min_score_that_is_named_is_answered_unless_asked_for(as_owner: Api, al: Agent) -> None:
    body = {"query": "the key of a lighthouse on a distant island", "min_score": 0.99}
    strict = as_owner.post(SEARCH, body).json()
    assert (strict["outcome"], strict["results"]) == ("empty", []) and "(min_score)" in strict["reason"]
    filled = as_owner.post(SEARCH, body | {"keyword_fill": True}).json()
    assert filled["outcome"] == "ok" and all(hit["score"] < 0.99 for hit in filled["results"])


def test_an_unknown_collection_is_named(as_owner: Api, al: Agent) -> None:
    response = as_owner.post(SEARCH, {"query": "key", "collections": ["memory", "attic"]})
    assert (response.status_code, error_of(response)["code"]) == (422, "unknown_collection")
    assert "attic" in error_of(response)["message"] and "memory" in error_of(response)["hint"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"query": None}, "query"),
        ({"query": ["key"]}, "query"),
        ({"mode": "magic"}, "mode"),
        ({"corpus": "wiki"}, "corpus"),
        ({"max_results": 0}, "max_results"),
        ({"max_results": 101}, "max_results"),
        ({"max_results": "6x"}, "max_results"),
        ({"max_results": True}, "max_results"),
        ({"min_score": 1.1}, "min_score"),
        ({"ranking": {"candidates": 9}}, "ranking.candidates"),
        ({"ranking": {"mmr_lamda": 0.5}}, "ranking.mmr_lamda"),
        ({"collections": []}, "collections"),
        ({"citations": "yes"}, "citations"),
        ({"explain": 1}, "explain"),
        ({"deadline_ms": 0}, "deadline_ms"),
        ({"session": "main"}, "session"),
        ({"session": {"chat": "x"}}, "session.chat"),
        ({"session": {"channel": "a\x00b"}}, "session.channel"),
        ({"session": {"projects": ["x" * 201]}}, "session.projects.0"),
        ({"maxResults": 5}, "maxResults"),
    ],
)
def test_a_bad_value_is_refused_by_name(as_owner: Api, al: Agent, change: dict[str, Any], field: str) -> None:
    response = as_owner.post(SEARCH, {"query": "key"} | change)
    assert (response.status_code, error_of(response)["field"]) == (422, field)


def test_a_query_beyond_the_limit_is_cut_and_the_answer_says_so(as_owner: Api, al: Agent) -> None:
    long = as_owner.post(SEARCH, {"query": "spare key " * 1001}).json()
    assert long["outcome"] == "ok" and "10000" in long["warnings"][0]
    assert as_owner.post(SEARCH, {"query": "x" * 10_000}).json()["warnings"] == []


def test_an_agent_without_an_index_is_unavailable_not_an_error(as_owner: Api, data_dir: Path) -> None:
    cast.agent_with("new", {})
    answer = as_owner.post("/agents/new/search", {"query": "key"})
    assert (answer.status_code, answer.json()["outcome"]) == (200, "unavailable")
    assert [item["code"] for item in answer.json()["degraded"]] == ["no_index"]


def test_memory_that_is_switched_off_is_a_conflict(as_owner: Api, al: Agent) -> None:
    as_owner.put("/agents/al/settings", {"memory_enabled": False})
    response = as_owner.post(SEARCH, {"query": "key"})
    assert (response.status_code, error_of(response)["code"]) == (409, "memory_disabled")


def text_of(value: Any) -> str:
    """A case of the nasty set: a text, or a recipe for a long one."""
    if isinstance(value, str):
        return value
    return str(value.get("prefix", "")) + value["repeat"] * value["count"] + str(value.get("suffix", ""))


def test_nasty_queries_get_a_sensible_answer(as_owner: Api, al: Agent, shared_data: Path) -> None:
    lines = (shared_data / "nasty.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["kind"] == "query"]
    assert len(cases) > 50
    for case in cases:
        response = as_owner.post(SEARCH, {"query": text_of(case["input"])})
        assert response.status_code == 200, case["id"]
        assert response.json()["outcome"] in {"ok", "empty"}, case["id"]


@pytest.mark.parametrize(
    "query", ["", " ", '"', "NEAR(", "*", "a:b", "';--", "😀", "\x00", "\ud83d", "钥匙", "x" * 10_000]
)
def test_any_text_is_a_query(as_owner: Api, al: Agent, query: str) -> None:
    response = as_owner.post(SEARCH, {"query": query})
    assert (response.status_code, response.json()["outcome"] in {"ok", "empty"}) == (200, True)
