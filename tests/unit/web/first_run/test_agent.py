"""The first agent: a name, a folder, and a look into it before anything is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.models import Agent, Run
from agents.registry.first_agent import free_slug
from tests import cast

PAGE = "/start/agent"


@pytest.fixture
def notes(data_dir: Path, settings: Any) -> Path:
    root = data_dir.parent / "notes"
    (root / "memory").mkdir(parents=True)
    for name in ("garden.md", "memory/2026-01-01.md", "photo.jpg"):
        (root / name).write_text("# Tomatoes want sun\n")
    settings.MEMORY_ALLOWED_ROOTS = (str(root.parent / "notes"),)
    return root


def test_a_folder_of_notes_becomes_an_agent_that_reads_it(admin: Client, notes: Path) -> None:
    answer = admin.post(PAGE, {"name": "Our Home", "folder": str(notes), "use": "read", "timezone": "Europe/Berlin"})
    assert answer["Location"] == "/start/index?agent=our-home"
    agent = Agent.objects.get()
    assert (agent.name, agent.timezone) == ("Our Home", "Europe/Berlin") and not agent.workspace.startswith(str(notes))
    assert [(one.path, one.origin) for one in agent.collections.filter(kind="custom")] == [(str(notes), "owner")]
    assert Run.objects.get().kind == "update"


def test_an_agents_own_folder_is_taken_over(admin: Client, notes: Path) -> None:
    admin.post(PAGE, {"name": "Home", "folder": str(notes), "use": "own"})
    agent = Agent.objects.get()
    assert agent.workspace == str(notes) and agent.collections.count() == 1


def test_without_a_folder_the_memory_begins_empty(admin: Client, data_dir: Path) -> None:
    admin.post(PAGE, {"name": "家"})
    assert Agent.objects.get().slug == "agent"


def test_a_look_shows_what_each_use_would_take_and_makes_nothing(admin: Client, notes: Path) -> None:
    read = admin.post(PAGE, {"folder": str(notes), "use": "read", "do": "preview"})
    own = admin.post(PAGE, {"folder": str(notes), "use": "own", "do": "preview"})
    assert (read.context["preview"].count, own.context["preview"].count) == (2, 1)
    assert "This looks like an agent" in read.content.decode()
    assert "1 file is of a type that is not read" in read.content.decode() and not Agent.objects.exists()


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"folder": "/etc"}, "folder"),
        ({"folder": "relative/folder"}, "folder"),
        ({"folder": "/etc", "use": "own"}, "folder"),
        ({"folder": "\x00"}, "folder"),
        ({"name": ""}, "name"),
        ({"name": "x" * 300}, "name"),
        ({"timezone": "Mars/Base"}, "timezone"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_nothing_is_made(
    admin: Client, notes: Path, values: dict[str, str], field: str
) -> None:
    page = admin.post(PAGE, {"name": "Home", "folder": str(notes), **values})
    assert page.status_code == 422 and field in page.context["form"].errors
    assert not Agent.objects.exists() and not Run.objects.exists()


def test_the_servers_own_folders_are_not_offered_and_not_taken(admin: Client, data_dir: Path) -> None:
    page = admin.post(PAGE, {"name": "Home", "folder": str(data_dir), "do": "preview"})
    assert page.context["preview"] is None and "server&#x27;s own files" in page.content.decode()
    assert not any("indexes" in folder for folder in page.context["suggested"])


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Home", "home"), ("  Ünser Haus! ", "unser-haus"), ("_x_", "x"), ("🏠", "agent"), ("a" * 200, "a" * 55)],
)
def test_a_name_suggests_a_slug_that_nobody_has(data_dir: Path, db: None, name: str, slug: str) -> None:
    assert free_slug(name) == slug
    cast.agent_with(slug, {})
    assert free_slug(name) == f"{slug}-2"
