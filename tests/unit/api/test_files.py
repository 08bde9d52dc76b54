"""/agents/{slug}/files/content, /history and /restore."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.models import Agent
from tests.unit.api.conftest import Api, error_of

CONTENT = "/agents/al/files/content"
RESTORE = "/agents/al/files/restore"


def read(api: Api, path: str = "MEMORY.md") -> dict[str, str]:
    return dict(api.get(f"{CONTENT}?path={path}").json())


def save(api: Api, text: str, expected: str, path: str = "MEMORY.md"):  # type: ignore[no-untyped-def]
    return api.put(CONTENT, {"path": path, "text": text, "expected_hash": expected})


def versions(api: Api, path: str = "MEMORY.md") -> list[dict[str, str]]:
    return list(api.get(f"/agents/al/files/history?path={path}").json()["items"])


def test_a_file_is_saved_over_the_version_that_was_read(as_owner: Api, al: Agent) -> None:
    saved = save(as_owner, "- The gate opens with 4411.\n", read(as_owner)["hash"]).json()
    assert (saved["changed"], saved["hash"]) == (True, read(as_owner)["hash"])
    hit = as_owner.post("/agents/al/search", {"query": "gate 4411", "mode": "search"}).json()["results"][0]
    assert hit["path"] == "MEMORY.md"


def test_a_file_that_somebody_changed_is_left_alone(as_owner: Api, al: Agent) -> None:
    old = read(as_owner)["hash"]
    (Path(al.workspace) / "MEMORY.md").write_text("- By hand.\n")
    response = save(as_owner, "- Mine.\n", old)
    assert (response.status_code, error_of(response)["code"]) == (409, "file_changed")
    assert read(as_owner)["text"] == "- By hand.\n"


def test_a_missing_file_is_made_with_an_empty_hash(as_owner: Api, al: Agent) -> None:
    missing = read(as_owner, "memory/new.md")
    assert (missing["status"], missing["text"], missing["hash"]) == ("not_found", "", "")
    assert save(as_owner, "- New.\n", "", "memory/new.md").status_code == 200
    assert save(as_owner, "- Newer.\n", "", "memory/new.md").status_code == 409


def test_every_replaced_content_can_be_restored(as_owner: Api, al: Agent) -> None:
    first = read(as_owner)
    save(as_owner, "- Second.\n", first["hash"])
    (Path(al.workspace) / "MEMORY.md").write_text("- By hand.\n")
    save(as_owner, "- Fourth.\n", read(as_owner)["hash"])
    items = versions(as_owner)
    assert [item["action"] for item in items] == ["edit", "edit", "edit", "edit"]
    assert [item["actor"] for item in items][1::2] == ["edited on disk", "edited on disk"]
    assert as_owner.post(RESTORE, {"path": "MEMORY.md", "version": first["hash"]}).json()["hash"] == first["hash"]
    assert read(as_owner)["text"] == first["text"]
    assert [item["current"] for item in versions(as_owner)] == [True, False, False, False, False]


def test_a_version_of_another_file_is_no_version(as_owner: Api, al: Agent) -> None:
    save(as_owner, "- New.\n", "", "memory/new.md")
    version = versions(as_owner, "memory/new.md")[0]["version"]
    assert as_owner.post(RESTORE, {"path": "MEMORY.md", "version": version}).status_code == 404


def test_a_key_that_is_not_trusted_reads_no_whole_files(as_helper: Api, al: Agent) -> None:
    assert (read(as_helper)["status"], read(as_helper)["text"]) == ("denied", "")
    assert as_helper.get("/agents/al/files/history?path=MEMORY.md").json()["items"] == []


@pytest.mark.parametrize("path", ["../al-2/MEMORY.md", "/etc/passwd", "control.sqlite3", "memory/..%2f..%2fx.md", ""])
def test_only_places_for_memory_are_opened(as_owner: Api, al: Agent, path: str) -> None:
    assert as_owner.get(f"{CONTENT}?path={path}").status_code == 422
    assert save(as_owner, "x", "", path).status_code == 422


def test_a_link_is_neither_read_nor_written(as_owner: Api, al: Agent, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("- Secret.\n")
    (Path(al.workspace) / "memory" / "link.md").symlink_to(secret)
    assert error_of(as_owner.get(f"{CONTENT}?path=memory/link.md"))["code"] == "path_not_allowed"
    assert as_owner.post("/agents/al/notes", {"text": "Hi.", "target": "memory/link.md"}).status_code == 422
    assert secret.read_text() == "- Secret.\n"
