"""No id of an answer tells one agent how much the others ask, work, or are looked after."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from agents.columns.public_ids import AGENT_BITS, ROW_BITS, run_id, run_place, unveiled, veiled
from agents.core.actors import SYSTEM
from agents.core.audit import record
from agents.jobs.runs import request_backup
from agents.models import Agent, RecallEvent, Run
from tests import cast
from tests.unit.api.conftest import Api


def turn(api: Api, slug: str) -> int:
    answer = api.post(f"/agents/{slug}/recall", {"message": "what did we decide about the boiler?"}).json()
    return int(answer["event_id"])


def run(api: Api, slug: str) -> int:
    """A new run: the one before has ended."""
    Run.objects.filter(agent__slug=slug).update(state=Run.State.DONE)
    return int(api.post(f"/agents/{slug}/update").json()["run"]["id"])


def test_recall_events_count_within_their_agent(as_owner: Api, al: Agent, al_2: Agent) -> None:
    ids = [turn(as_owner, slug) for slug in ("al", "al-2", "al-2", "al", "al-2", "al")]
    assert ids == [1, 1, 2, 2, 3, 3]
    listed = as_owner.get("/agents/al/recall_events").json()["items"]
    assert [event["id"] for event in listed] == [3, 2, 1]


def test_numbers_of_what_was_forgotten_are_not_given_again(as_owner: Api, al: Agent) -> None:
    turn(as_owner, "al")
    RecallEvent.objects.all().delete()
    assert turn(as_owner, "al") == 2


@pytest.mark.parametrize("count", [2**53, 2**63 - 1])
def test_a_count_that_no_server_has_given_is_not_gone_on_with(as_owner: Api, al: Agent, count: int) -> None:
    first, seen = run(as_owner, "al"), turn(as_owner, "al")
    Agent.objects.filter(pk=al.pk).update(runs_numbered=count, recalls_numbered=count)
    assert (run(as_owner, "al"), turn(as_owner, "al")) == (first + 1, seen + 1)


def test_runs_count_within_their_agent_and_are_found_by_their_id(as_owner: Api, al: Agent, al_2: Agent) -> None:
    first, *others = [run(as_owner, slug) for slug in ("al", "al-2", "al-2", "al-2", "al")]
    assert others[-1] == first + 1
    assert all(0 < number < 2**53 for number in (first, *others))
    for number in (first, *others):
        assert as_owner.get(f"/runs/{number}").json()["id"] == number
    assert [item["id"] for item in as_owner.get("/runs?agent=al").json()["items"]] == [first + 1, first]


def test_a_run_of_another_agent_is_not_there(as_owner: Api, as_neighbour: Api, al: Agent) -> None:
    number = run(as_owner, "al")
    for strange in (number, number + 1, 1, 2**53 - 1, 2**63 - 1):
        assert as_neighbour.get(f"/runs/{strange}").status_code == 404


def test_a_job_of_the_whole_server_has_an_id_too(as_owner: Api, as_neighbour: Api) -> None:
    job = request_backup(reason="request")
    assert as_owner.get(f"/runs/{job.public_id}").json()["kind"] == "backup"
    assert as_neighbour.get(f"/runs/{job.public_id}").status_code == 404


def test_a_key_is_found_by_its_id_which_counts_nothing(as_neighbour: Api, al: Agent, al_2: Agent) -> None:
    body = {"name": "k", "agents": ["al-2"], "rights": ["read"]}
    ids = []
    for _ in range(3):
        ids.append(as_neighbour.post("/keys", body).json()["id"])
        cast.person("other", agents=["al"], rights=["read"])
    assert len({ids[0] - ids[1], ids[1] - ids[2], 2, -2}) == 4
    assert {item["id"] for item in as_neighbour.get("/keys").json()["items"]} >= set(ids)
    assert as_neighbour.post(f"/keys/{ids[0]}/rotate").json()["id"] == ids[0]
    assert as_neighbour.delete(f"/keys/{ids[0]}").status_code == 204
    assert as_neighbour.delete(f"/keys/{ids[0]}").status_code == 404
    assert as_neighbour.delete("/keys/1").status_code == 404


def test_audit_lines_are_paged_by_ids_that_count_nothing(as_neighbour: Api, al_2: Agent) -> None:
    for number in range(7):
        record(actor=SYSTEM, action="a.b", target=str(number), agent_slug="al-2")
        record(actor=SYSTEM, action="a.b", target="of another", agent_slug="al")
    seen: list[dict[str, Any]] = []
    page: list[dict[str, Any]] = as_neighbour.get("/audit?action=a.b&limit=3").json()["items"]
    while page:
        seen += page
        page = as_neighbour.get(f"/audit?action=a.b&limit=3&before={page[-1]['id']}").json()["items"]
    assert [event["target"] for event in seen] == ["6", "5", "4", "3", "2", "1", "0"]
    assert len({one["id"] - two["id"] for one, two in pairwise(seen)}) == 6


def test_the_history_of_a_file_names_a_key_by_its_public_id(as_neighbour: Api, al_2: Agent) -> None:
    path, digest = "memory/plan.md", ""
    for text in ("one\n", "two\n"):
        saved = as_neighbour.put(
            "/agents/al-2/files/content", {"path": path, "text": text, "expected_hash": digest}
        ).json()
        digest = saved["hash"]
    (key,) = [item for item in as_neighbour.get("/keys").json()["items"] if item["name"] == "neighbour"]
    actors = {event["actor"] for event in as_neighbour.get("/audit").json()["items"]}
    actors |= {item["actor"] for item in as_neighbour.get(f"/agents/al-2/files/history?path={path}").json()["items"]}
    assert {actor for actor in actors if actor.startswith("key:")} == {f"key:{key['id']} neighbour"}


@pytest.mark.parametrize("bits", [ROW_BITS, AGENT_BITS])
def test_a_veil_can_be_taken_off(bits: int) -> None:
    numbers = [*range(30), 1000, (1 << bits) - 1]
    public = [veiled("x", number, bits) for number in numbers]
    assert [unveiled("x", number, bits) for number in public] == numbers
    assert all(0 <= number < 1 << bits for number in public) and public != sorted(public)
    assert unveiled("x", 1 << bits, bits) == unveiled("x", -1, bits) == -1
    assert veiled("y", 1, bits) != veiled("x", 1, bits)


def test_every_small_number_has_a_name_of_its_own(settings: Any) -> None:
    names = {veiled("x", number, 12) for number in range(1 << 12)}
    assert names == set(range(1 << 12))
    before = veiled("x", 1)
    settings.SECRET_KEY = "another"
    assert veiled("x", 1) != before


def test_a_runs_id_holds_its_place() -> None:
    assert run_place(run_id(7, 41)) == (7, 41)
    assert run_id(7, 42) == run_id(7, 41) + 1
