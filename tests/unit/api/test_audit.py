"""/audit."""

from __future__ import annotations

from agents.models import Agent
from tests.unit.api.conftest import Api, error_of


def test_it_says_who_did_what_to_what(as_owner: Api, al: Agent) -> None:
    as_owner.patch("/agents/al", {"name": "Al"})
    event = as_owner.get("/audit?agent=al").json()["items"][0]
    assert (event["action"], event["target"], event["address"]) == ("agent.update", "al", "127.0.0.1")
    assert event["actor"].endswith(" owner")


def test_a_denied_search_is_on_record_without_its_words(as_owner: Api, as_helper: Api, al: Agent) -> None:
    as_helper.post("/agents/al/search", {"query": "hidden words"})
    page = as_owner.get("/audit?action=search.denied")
    assert [event["agent"] for event in page.json()["items"]] == ["al"]
    assert "hidden" not in page.content.decode()


def test_pages_follow_each_other_without_a_gap(as_owner: Api, al: Agent) -> None:
    everything = [event["id"] for event in as_owner.get("/audit").json()["items"]]
    first = [event["id"] for event in as_owner.get("/audit?limit=1").json()["items"]]
    rest = [event["id"] for event in as_owner.get(f"/audit?before={first[-1]}").json()["items"]]
    assert first + rest == everything


def test_a_bad_page_is_refused(as_owner: Api) -> None:
    assert error_of(as_owner.get("/audit?before=now"))["field"] == "before"
