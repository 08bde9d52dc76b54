"""Services of collections: folders beside the memory, and the memory that stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.core.errors import Conflict, Invalid
from agents.indexes.specs import collection_spec, index_spec
from agents.models import Agent, AuditEvent, Collection
from agents.registry.agents import create_agent
from agents.registry.collections import create_collection, delete_collection, update_collection
from tests.cast import OWNER


@pytest.fixture
def agent(db: None, data_dir: Path) -> Agent:
    return create_agent(actor=OWNER, slug="al")


def added(agent: Agent, **values: Any) -> Collection:
    return create_collection(actor=OWNER, agent=agent, **{"name": "recipes", "path": "recipes", **values})


def test_a_relative_path_is_taken_from_the_workspace(agent: Agent) -> None:
    collection = added(agent, ignore=["drafts/**"], context=" family recipes ")
    spec = collection_spec(agent, collection)
    assert spec.root == Path(agent.workspace) / "recipes"
    assert (spec.prefix, spec.ignore, spec.source) == ("recipes/", ("drafts/**",), "memory")
    assert collection.context == "family recipes"


def test_sessions_are_a_source_of_their_own(agent: Agent, data_dir: Path) -> None:
    added(agent, name="chats", kind="sessions", path=str(data_dir / "transcripts" / "al"))
    assert [spec.source for spec in index_spec(agent).collections] == ["memory", "sessions"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"name": "Recipes"}, "name"),
        ({"name": "../x"}, "name"),
        ({"name": "a/b"}, "name"),
        ({"name": ""}, "name"),
        ({"path": "/etc"}, "path"),
        ({"path": "../bo"}, "path"),
        ({"path": "~/notes"}, "path"),
        ({"path": ""}, "path"),
        ({"pattern": ""}, "pattern"),
        ({"pattern": "../**"}, "pattern"),
        ({"pattern": "/etc/*.md"}, "pattern"),
        ({"pattern": "a\\b"}, "pattern"),
        ({"pattern": "*" * 501}, "pattern"),
        ({"ignore": ["ok", "../no"]}, "ignore.1"),
        ({"ignore": ["x"] * 101}, "ignore"),
        ({"kind": "memory"}, "kind"),
        ({"kind": "else"}, "kind"),
        ({"context": "a\0b"}, "context"),
    ],
)
def test_bad_values_are_refused_and_named(agent: Agent, values: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as error:
        added(agent, **values)
    assert error.value.field == field and agent.collections.count() == 1


def test_a_symlinked_folder_is_refused(agent: Agent) -> None:
    (Path(agent.workspace) / "link").symlink_to("/etc")
    with pytest.raises(Invalid, match="symlink"):
        added(agent, path="link")


@pytest.mark.parametrize("name", ["memory", "recipes"])
def test_a_name_is_used_once(agent: Agent, name: str) -> None:
    added(agent)
    with pytest.raises(Conflict) as error:
        added(agent, name=name)
    assert error.value.code == "collection_exists"


def test_changes_ask_for_an_update_and_are_written_down(agent: Agent) -> None:
    collection = update_collection(actor=OWNER, collection=added(agent), pattern="*.md", include_by_default=False)
    spec = collection_spec(agent, Collection.objects.get(pk=collection.pk))
    assert (spec.patterns, spec.include_by_default) == (("*.md",), False)
    assert Agent.objects.get().update_requested_at is not None
    assert AuditEvent.objects.filter(action="collection.update", target="al/recipes").exists()


def test_the_memory_collection_keeps_its_files_and_cannot_go(agent: Agent) -> None:
    memory = agent.collections.get()
    for change in ({"path": "x"}, {"pattern": "*"}):
        with pytest.raises(Conflict):
            update_collection(actor=OWNER, collection=memory, **change)  # type: ignore[arg-type]
    with pytest.raises(Conflict):
        delete_collection(actor=OWNER, collection=memory)
    assert update_collection(actor=OWNER, collection=memory, ignore=["memory/old/**"]).ignore == ["memory/old/**"]


def test_deleting_keeps_the_files(agent: Agent) -> None:
    collection = added(agent)
    folder = Path(collection.path)
    folder.mkdir()
    delete_collection(actor=OWNER, collection=collection)
    assert folder.is_dir() and agent.collections.count() == 1


def test_only_a_collection_of_conversations_may_lie_in_the_agents_own_transcripts(al: Agent, data_dir: Path) -> None:
    own, others = (str(data_dir / "transcripts" / slug / "markdown") for slug in ("al", "al-2"))
    for path, kind in ((own, "custom"), (others, "sessions"), (str(data_dir / "transcripts"), "sessions")):
        with pytest.raises(Invalid, match="own files"):
            create_collection(actor=OWNER, agent=al, name="chats", path=path, kind=kind)
    assert create_collection(actor=OWNER, agent=al, name="chats", path=own, kind="sessions").path == own
