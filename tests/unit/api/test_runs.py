"""/runs, and the calls that start one."""

from __future__ import annotations

import time

import pytest

from agents.models import Agent, Run
from tests.unit.api.conftest import Api, error_of


def test_an_update_asked_for_twice_is_one_run(as_helper: Api, al: Agent) -> None:
    first, second = (as_helper.post("/agents/al/update") for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["run"]["id"] == second.json()["run"]["id"]
    assert as_helper.get(f"/runs/{first.json()['run']['id']}").json()["state"] == "queued"


def test_a_rebuild_is_a_run_of_its_own(as_helper: Api, al: Agent) -> None:
    run = as_helper.post("/agents/al/rebuild").json()["run"]
    assert (run["kind"], run["agent"], run["progress"]) == ("rebuild", "al", {"done": 0, "total": 0, "unit": "files"})


def test_without_a_broker_the_wish_is_kept_and_the_answer_is_quick(as_helper: Api, al: Agent) -> None:
    started = time.monotonic()
    assert as_helper.post("/agents/al/update").json()["dispatched"] is False
    assert time.monotonic() - started < 2
    assert Run.objects.filter(agent=al, kind="update", state="queued").count() == 1


def test_runs_are_listed_newest_first_by_agent_and_state(as_owner: Api, al: Agent, al_2: Agent) -> None:
    for path in ("/agents/al/update", "/agents/al-2/update", "/agents/al/rebuild"):
        as_owner.post(path)
    assert [run["kind"] for run in as_owner.get("/runs?agent=al&state=queued").json()["items"]] == ["rebuild", "update"]
    assert len(as_owner.get("/runs?limit=2").json()["items"]) == 2
    assert as_owner.get("/runs?state=done").json()["items"] == []


def test_a_waiting_run_is_cancelled_and_an_ended_one_is_a_conflict(as_owner: Api, al: Agent) -> None:
    run = as_owner.post("/agents/al/update").json()["run"]
    assert as_owner.post(f"/runs/{run['id']}/cancel").json()["state"] == "cancelled"
    assert as_owner.post(f"/runs/{run['id']}/cancel").status_code == 409


@pytest.mark.parametrize("query", ["state=lost", "limit=0", "limit=1001", "limit=x", "agent=%00", "agent=A%20B"])
def test_a_bad_filter_is_refused_by_name(as_owner: Api, query: str) -> None:
    response = as_owner.get(f"/runs?{query}")
    assert (response.status_code, error_of(response)["field"]) == (422, query.split("=")[0])


@pytest.mark.parametrize(("number", "status"), [("1", 404), ("0", 422), ("9" * 30, 422), ("x", 422), ("%00", 422)])
def test_a_run_that_is_not_there(as_owner: Api, number: str, status: int) -> None:
    assert as_owner.get(f"/runs/{number}").status_code == status
