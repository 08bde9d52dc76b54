"""/agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.core.paths import index_path
from agents.models import Agent
from tests.unit.api.conftest import Api, error_of


def test_a_new_agent_has_a_workspace_and_its_memory(as_owner: Api, data_dir: Path) -> None:
    made = as_owner.post("/agents", {"slug": "home", "name": "家", "timezone": "Europe/Berlin"})
    assert made.status_code == 201
    assert made.json()["workspace"] == str(data_dir / "workspaces" / "home")
    assert (data_dir / "workspaces" / "home" / "memory").is_dir()
    assert as_owner.get("/agents/home").json() == made.json()


def test_agents_are_listed_by_slug(as_owner: Api, al_2: Agent, al: Agent) -> None:
    assert [item["slug"] for item in as_owner.get("/agents").json()["items"]] == ["al", "al-2"]


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"slug": "../al"}, "slug", "invalid_value"),
        ({"slug": "Al"}, "slug", "invalid_value"),
        ({"slug": "a\x00b"}, "slug", "invalid_value"),
        ({"slug": "x" * 64}, "slug", "invalid_value"),
        ({"workspace": "relative"}, "workspace", "invalid_value"),
        ({"workspace": "/etc"}, "workspace", "path_not_allowed"),
        ({"timezone": "Mars/Base"}, "timezone", "invalid_value"),
        ({"settings": {"colour": "red"}}, "settings.colour", "unknown_setting"),
        ({"settings": {"max_results": 0}}, "settings.max_results", "invalid_value"),
        ({"settings": []}, "settings", "invalid_value"),
        ({"name": 7}, "name", "invalid_value"),
        ({"owner": "me"}, "owner", "invalid_value"),
    ],
)
def test_a_bad_value_is_refused_by_name(
    as_owner: Api, data_dir: Path, change: dict[str, object], field: str, code: str
) -> None:
    response = as_owner.post("/agents", {"slug": "home"} | change)
    assert response.status_code == 422
    assert (error_of(response)["field"], error_of(response)["code"]) == (field, code)
    assert not Agent.objects.exists()


def test_a_slug_in_use_is_a_conflict(as_owner: Api, al: Agent) -> None:
    response = as_owner.post("/agents", {"slug": "al"})
    assert (response.status_code, error_of(response)["code"]) == (409, "agent_exists")


def test_a_change_leaves_the_rest_as_it_was(as_owner: Api, al: Agent) -> None:
    before = as_owner.get("/agents/al").json()
    after = as_owner.patch("/agents/al", {"name": "Al"}).json()
    assert after == before | {"name": "Al", "modified_at": after["modified_at"]}


def test_deleting_an_agent_keeps_its_markdown(as_owner: Api, al: Agent) -> None:
    assert as_owner.delete("/agents/al").status_code == 204
    assert as_owner.get("/agents/al").status_code == 404
    assert not index_path("al").exists()
    assert (Path(al.workspace) / "MEMORY.md").is_file()


def test_deleting_the_files_too_is_refused(as_owner: Api, al: Agent) -> None:
    response = as_owner.delete("/agents/al?files=true")
    assert (response.status_code, error_of(response)["field"]) == (422, "files")
    assert as_owner.get("/agents/al").status_code == 200


def test_a_key_for_one_agent_cannot_make_another_or_move_its_own(as_neighbour: Api) -> None:
    assert as_neighbour.post("/agents", {"slug": "new"}).status_code == 403
    assert as_neighbour.patch("/agents/al-2", {"workspace": "/tmp"}).status_code == 403
