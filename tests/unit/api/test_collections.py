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
        ({"ignore": "old"}, 422, "ignore"),
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
