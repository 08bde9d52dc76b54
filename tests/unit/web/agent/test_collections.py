"""Collections on pages: added after a look at what they take, shared, and taken out again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.access.sharing import share_collection
from agents.models import Agent, Collection
from agents.registry.collections import create_collection
from tests import cast
from tests.unit.web.agent.conftest import Member

LIST = "/agents/al/collections"
FORM = "/agents/al/collection"


@pytest.fixture
def folder(data_dir: Path, settings: Any) -> Path:
    """A folder of notes outside any workspace, below an allowed root."""
    root = data_dir.parent / "notes"
    for name in ("a.md", "b.jpg", ".hidden.md", "drafts/c.md", "node_modules/d.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# Note\n")
    (root / "link.md").symlink_to(root / "a.md")
    settings.MEMORY_ALLOWED_ROOTS = (str(root),)
    return root


def names(agent: Agent) -> list[str]:
    return list(agent.collections.values_list("name", flat=True))


def test_a_folder_is_added(admin: Client, al: Agent, folder: Path) -> None:
    form = {"name": "notes", "path": str(folder), "pattern": "*.md", "ignore": "drafts/**", "include_by_default": "on"}
    assert admin.post(FORM, form)["Location"] == LIST
    made = al.collections.get(name="notes")
    assert (made.path, made.pattern, made.ignore, made.include_by_default) == (str(folder), "*.md", ["drafts/**"], True)
    assert str(folder) in admin.get(LIST).content.decode()


def test_a_look_shows_what_would_be_taken_and_what_not_and_stores_nothing(
    admin: Client, al: Agent, folder: Path
) -> None:
    page = admin.post(
        FORM, {"name": "n", "path": str(folder), "pattern": "**/*.md", "ignore": "drafts", "do": "preview"}
    )
    text = page.content.decode()
    assert [file.path for file in page.context["preview"].files] == ["a.md"]
    assert (
        "symlink, not followed" in text
        and "1 file is of a type that is not read" in text
        and "1 entry is excluded" in text
    )
    assert "1 hidden file or folder" in text and "1 folder of a tool" in text
    assert names(al) == ["memory"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"path": "/etc"}, "path"),
        ({"path": "../../.."}, "path"),
        ({"path": "\x00"}, "path"),
        ({"pattern": "/etc/*.md"}, "pattern"),
        ({"ignore": "../x"}, "ignore"),
        ({"name": "Bad Name"}, "name"),
        ({"name": "memory"}, "name"),
        ({"readers": "nobody-here"}, "readers"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    admin: Client, al: Agent, folder: Path, values: dict[str, str], field: str
) -> None:
    page = admin.post(FORM, {"name": "notes", "path": str(folder), **values})
    assert page.status_code == 422 and field in page.context["form"].errors
    assert names(al) == ["memory"]


def test_a_look_outside_the_allowed_roots_shows_nothing(admin: Client, al: Agent) -> None:
    page = admin.post(FORM, {"path": "/etc", "do": "preview"})
    assert page.context["preview"] is None and "outside the allowed roots" in page.content.decode()


@pytest.mark.parametrize("command", ["preview", ""])
def test_who_administers_one_agent_looks_into_no_other_folder(
    member: Member, al: Agent, al_2: Agent, command: str
) -> None:
    browser = member("admin")
    for path in (al_2.workspace, f"/{al_2.workspace}", f"{al.workspace}/../al-2", "../al-2", "~/al-2"):
        page = browser.post(FORM, {"name": "spy", "path": path, "do": command})
        assert page.context["preview"] is None and "path" in page.context["form"].errors
    assert names(al) == ["memory"]


def test_a_folder_that_is_still_to_come_may_be_named(member: Member, al: Agent) -> None:
    browser = member("admin")
    page = browser.post(FORM, {"path": "later", "do": "preview"})
    assert "t exist yet" in page.content.decode()
    assert browser.post(FORM, {"name": "later", "path": "later"})["Location"] == LIST


def test_a_collection_is_changed_and_the_built_in_one_keeps_its_place(admin: Client, al: Agent) -> None:
    address = f"{FORM}?name=memory"
    assert "disabled" in admin.get(address).content.decode()
    admin.post(address, {"ignore": "memory/old/**", "context": "House", "path": "/etc", "pattern": "x"})
    (memory,) = al.collections.all()
    assert (memory.ignore, memory.context, memory.path) == (["memory/old/**"], "House", al.workspace)
    assert not memory.include_by_default


def test_a_collection_is_shared_and_seen_by_its_reader(admin: Client, al: Agent, al_2: Agent) -> None:
    admin.post(f"{FORM}?name=memory", {"readers": "al-2", "include_by_default": "on"})
    assert "al.memory" in admin.get("/agents/al-2/collections").content.decode()
    admin.post("/agents/al-2/collection/remove", {"name": "al.memory", "confirmed": "yes"})
    assert not al_2.shared_in.exists() and al.collections.exists()


def test_a_member_shares_with_no_agent_that_they_do_not_know_and_takes_none_away(
    member: Member, al: Agent, al_2: Agent
) -> None:
    browser, (memory,) = member("admin"), al.collections.all()
    assert browser.post(f"{FORM}?name=memory", {"readers": "al-2"}).status_code == 422
    share_collection(actor=cast.OWNER, collection=memory, readers={"al-2"})
    browser.post(f"{FORM}?name=memory", {"readers": ""})
    assert al_2.shared_in.count() == 1
    assert "al-2" not in browser.get(LIST).content.decode() + browser.get(f"{FORM}?name=memory").content.decode()


def test_taking_out_asks_first_and_keeps_the_files(admin: Client, al: Agent, folder: Path) -> None:
    create_collection(actor=cast.OWNER, agent=al, name="notes", path=str(folder))
    address = f"{FORM}/remove?name=notes"
    assert "No file is deleted" in admin.get(address).content.decode()
    admin.post(address, {"name": "notes"})
    assert names(al) == ["memory", "notes"]
    admin.post(address, {"name": "notes", "confirmed": "yes"})
    assert names(al) == ["memory"] and (folder / "a.md").exists()


def test_the_built_in_collection_stays(admin: Client, al: Agent) -> None:
    assert admin.post(f"{FORM}/remove", {"name": "memory", "confirmed": "yes"}).status_code == 409
    assert names(al) == ["memory"]


@pytest.mark.parametrize("address", [f"{FORM}?name=none", f"{FORM}/remove?name=none"])
def test_a_collection_that_is_not_there_is_not_found(admin: Client, al: Agent, address: str) -> None:
    assert admin.get(address).status_code == 404


def test_twenty_collections_cost_no_more_queries_than_two(
    admin: Client, al: Agent, django_assert_num_queries: Any
) -> None:
    for number in range(20):
        create_collection(actor=cast.OWNER, agent=al, name=f"c{number}", path=f"c{number}")
    with django_assert_num_queries(10):
        admin.get(LIST)
    assert Collection.objects.count() == 21


@pytest.mark.parametrize("address", [LIST, FORM, f"{FORM}/remove"])
def test_collections_are_for_those_who_administer_the_agent(member: Member, address: str) -> None:
    assert member("edit").get(address).status_code == 403
