"""/agents/{slug}/collections."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.models import Agent
from tests.unit.api.conftest import Api, error_of


def _notes(data_dir: Path) -> dict[str, object]:
    return {"name": "notes", "path": str(data_dir / "workspaces" / "notes")}


def test_every_agent_starts_with_memory(as_owner: Api, al: Agent) -> None:
    items = as_owner.get("/agents/al/collections").json()["items"]
    assert [(item["name"], item["kind"]) for item in items] == [("memory", "memory")]


def test_a_folder_can_be_added_changed_and_taken_out(as_owner: Api, al: Agent, data_dir: Path) -> None:
    assert as_owner.post("/agents/al/collections", _notes(data_dir)).status_code == 201
    changed = as_owner.patch("/agents/al/collections/notes", {"ignore": ["old/**"], "include_by_default": False})
    assert (changed.json()["ignore"], changed.json()["pattern"]) == (["old/**"], "**/*.md")
    assert as_owner.delete("/agents/al/collections/notes").status_code == 204
    assert as_owner.patch("/agents/al/collections/notes", {}).status_code == 404


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"name": "No Name"}, 422, "name"),
        ({"name": "memory"}, 409, "name"),
        ({"path": "/etc"}, 422, "path"),
        ({"path": "../outside"}, 422, "path"),
        ({"pattern": "../*.md"}, 422, "pattern"),
        ({"pattern": "./a.md"}, 422, "pattern"),
        ({"pattern": "a//b.md"}, 422, "pattern"),
        ({"pattern": "**/" * 100 + "*.md"}, 422, "pattern"),
        ({"ignore": "old"}, 422, "ignore"),
        ({"ignore": ["a.md", "old/"]}, 422, "ignore.1"),
        ({"ignore": ["/old"]}, 422, "ignore.0"),
        ({"kind": "memory"}, 422, "kind"),
        ({"kind": "secret"}, 422, "kind"),
        ({"include_by_default": "yes"}, 422, "include_by_default"),
    ],
)
def test_a_bad_value_is_refused_by_name(
    as_owner: Api, al: Agent, data_dir: Path, change: dict[str, object], status: int, field: str
) -> None:
    response = as_owner.post("/agents/al/collections", _notes(data_dir) | change)
    assert (response.status_code, error_of(response)["field"]) == (status, field)


def test_the_built_in_collection_stays(as_owner: Api, al: Agent) -> None:
    assert as_owner.delete("/agents/al/collections/memory").status_code == 409


def test_a_key_for_one_agent_cannot_add_a_neighbours_folder(as_neighbour: Api, al: Agent, al_2: Agent) -> None:
    peek = {"name": "peek", "path": al.workspace}
    assert as_neighbour.post("/agents/al-2/collections", peek).status_code == 403
    disguised = {"name": "peek", "path": f"{al_2.workspace}/../al"}
    assert as_neighbour.post("/agents/al-2/collections", disguised).status_code == 403
    own = {"name": "diary", "path": f"{al_2.workspace}/diary"}
    assert as_neighbour.post("/agents/al-2/collections", own).status_code == 201
    assert as_neighbour.patch("/agents/al-2/collections/diary", {"path": al.workspace}).status_code == 403


def test_a_shared_collection_is_listed_on_both_sides(as_owner: Api, al: Agent, al_2: Agent, data_dir: Path) -> None:
    made = as_owner.post("/agents/al/collections", {**_notes(data_dir), "shared_with": ["al-2"], "origin": "owner"})
    assert (made.json()["shared_with"], made.json()["origin"], made.json()["shared_by"]) == (["al-2"], "owner", None)
    shared = as_owner.get("/agents/al-2/collections").json()["items"][-1]
    assert (shared["name"], shared["shared_by"], shared["path"]) == ("al.notes", "al", "")
    assert as_owner.delete("/agents/al-2/collections/al.notes").status_code == 204
    assert as_owner.get("/agents/al/collections").json()["items"][-1]["shared_with"] == []


def test_a_share_that_is_refused_makes_no_collection(as_owner: Api, al: Agent, data_dir: Path) -> None:
    refused = as_owner.post("/agents/al/collections", {**_notes(data_dir), "shared_with": ["nobody"]})
    assert (refused.status_code, error_of(refused)["field"]) == (422, "shared_with")
    assert len(as_owner.get("/agents/al/collections").json()["items"]) == 1


def test_a_key_for_one_agent_neither_sees_gives_nor_takes_other_agents_shares(
    as_neighbour: Api, as_owner: Api, al: Agent
) -> None:
    as_owner.patch("/agents/al-2/collections/memory", {"shared_with": ["al"]})
    absent, foreign = (
        as_neighbour.patch("/agents/al-2/collections/memory", {"shared_with": [slug]}) for slug in ("xx", "al")
    )
    assert error_of(foreign)["message"].replace("al", "xx") == error_of(absent)["message"]
    assert as_neighbour.patch("/agents/al-2/collections/memory", {"shared_with": []}).json()["shared_with"] == []
    assert as_owner.get("/agents/al-2/collections").json()["items"][0]["shared_with"] == ["al"]
