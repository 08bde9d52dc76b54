"""/audit."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.core.audit import prune_audit
from agents.models import Agent, AuditEvent
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


def test_filters_hold_together(as_owner: Api, as_helper: Api, al: Agent, al_2: Agent) -> None:
    as_owner.patch("/agents/al", {"name": "Al"})
    as_helper.post("/agents/al/search", {"query": "hidden words"})

    def actions(query: str) -> list[str]:
        return [event["action"] for event in as_owner.get(f"/audit?agent=al&{query}").json()["items"]]

    assert actions("action=agent") == ["agent.update", "agent.create"]
    assert actions("action=agent.up") == []
    assert actions("actor=HELPER") == ["search.denied"]
    assert actions("address=127.0.0.1&action=agent") == ["agent.update"]
    assert actions("since=2999-01-01T00:00:00Z") == actions("until=2000-01-01") == []
    assert len(actions("since=2000-01-01&until=2999-01-01T00:00:00%2B02:00")) == 3


@pytest.mark.parametrize(
    "query",
    [
        "since=yesterday",
        "since=0001-01-01T00:00:00%2B14:00",
        "until=9999-12-31T23:59:59-14:00",
        "action=DROP%20TABLE",
        "agent=../al",
        "format=xml",
    ],
)
def test_a_bad_filter_is_refused_by_name(as_owner: Api, query: str) -> None:
    response = as_owner.get(f"/audit/export?{query}")
    assert (response.status_code, error_of(response)["field"]) == (422, query.partition("=")[0])


def test_the_log_is_exported_line_by_line(as_owner: Api, al: Agent) -> None:
    listed = as_owner.get("/audit").json()["items"]
    exported = b"".join(as_owner.get("/audit/export").streaming_content).decode()  # type: ignore[attr-defined]
    own, *others = [json.loads(line) for line in exported.splitlines()]
    assert own["action"] == "audit.export"
    assert [(event["id"], event["detail"]) for event in others] == [(event["id"], event["detail"]) for event in listed]


def test_a_spreadsheet_runs_nothing_of_it(as_owner: Api, al: Agent) -> None:
    as_owner.post("/keys", {"name": "=cmd()", "agents": ["al"], "rights": ["read"]})
    AuditEvent.objects.filter(action="key.create").update(target="=cmd()", actor="@evil")
    response = as_owner.get("/audit/export?format=csv&action=key.create")
    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))  # type: ignore[attr-defined]
    assert rows[0]["target"] == "'=cmd()" and rows[0]["actor"] == "'@evil"
    assert response["Content-Disposition"] == 'attachment; filename="audit.csv"'


def test_a_key_for_one_agent_exports_that_agents_lines_alone(as_neighbour: Api, al: Agent) -> None:
    exported = b"".join(as_neighbour.get("/audit/export").streaming_content).decode()  # type: ignore[attr-defined]
    assert {json.loads(line)["agent"] for line in exported.splitlines()} == {"al-2"}


def test_old_lines_go_denials_first(as_owner: Api, as_helper: Api, al: Agent, settings: Any) -> None:
    settings.MEMORY_AUDIT_DENIED_DAYS, settings.MEMORY_AUDIT_DAYS = 10, 100
    as_helper.post("/agents/al/search", {"query": "hidden words"})
    AuditEvent.objects.update(at=timezone.now() - timedelta(days=11))
    assert prune_audit() == 1 and AuditEvent.objects.filter(action="agent.create").exists()
    AuditEvent.objects.update(at=timezone.now() - timedelta(days=101))
    prune_audit()
    assert not AuditEvent.objects.exists()


def test_a_prompt_in_the_settings_is_not_in_the_log(as_owner: Api, al: Agent) -> None:
    as_owner.put("/agents/al/settings", {"recall_prompt_append": "Never mention the surprise party", "max_results": 3})
    page = as_owner.get("/audit?action=agent.update").content.decode()
    assert "surprise" not in page
