"""Services of agents: what is made with one, what is refused, what stays when it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.access.scope import DEFAULT_SCOPE
from agents.access.secrets import sees
from agents.core.agent_settings import read_settings, settings_over
from agents.core.errors import Conflict, Invalid, NotFound
from agents.core.paths import index_path
from agents.indexes.specs import index_spec, scope_of
from agents.models import Agent, ApiKey, AuditEvent, Run
from agents.registry.agents import create_agent, delete_agent, remove_orphan_indexes, request_update, update_agent
from agents.registry.selectors import get_agent
from search.spec import MEMORY_PATTERNS
from tests.cast import OWNER, agent_with, index, person

pytestmark = pytest.mark.usefixtures("db", "data_dir")


def test_a_new_agent_has_a_workspace_a_memory_and_the_default_rules(data_dir: Path) -> None:
    agent = create_agent(actor=OWNER, slug="hua", name=" 花 ")
    assert (data_dir / "workspaces" / "hua" / "memory").is_dir()
    assert agent.name == "花" and scope_of(agent) == DEFAULT_SCOPE
    (memory,) = index_spec(agent).collections
    assert (memory.name, memory.prefix, memory.patterns) == ("memory", "", MEMORY_PATTERNS)
    assert AuditEvent.objects.get().action == "agent.create"


@pytest.mark.parametrize(
    "slug", ["", "A", "-a", "a-", "a_b", "a.b", "../x", "a/b", "a\n", "花", "a" * 64, "a b", "a\0"]
)
def test_bad_slugs_are_refused(slug: str) -> None:
    with pytest.raises(Invalid) as error:
        create_agent(actor=OWNER, slug=slug)
    assert error.value.field == "slug" and not Agent.objects.exists()


def test_a_slug_is_used_once() -> None:
    create_agent(actor=OWNER, slug="al")
    with pytest.raises(Conflict) as error:
        create_agent(actor=OWNER, slug="al")
    assert error.value.code == "agent_exists"


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"workspace": "/etc"}, "workspace"),
        ({"workspace": ""}, "workspace"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": "../etc/passwd"}, "timezone"),
        ({"name": "a\0b"}, "name"),
        ({"name": "\ud800"}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"settings": {"max_results": 0}}, "settings.max_results"),
        ({"settings": {"min_score": float("nan")}}, "settings.min_score"),
        ({"settings": {"colour": "red"}}, "settings.colour"),
    ],
)
def test_other_bad_values_are_refused_and_named(values: dict[str, object], field: str) -> None:
    with pytest.raises(Invalid) as error:
        create_agent(actor=OWNER, slug="al", **values)  # type: ignore[arg-type]
    assert error.value.field == field and not Agent.objects.exists()


def test_changing_an_agent_asks_for_an_update_and_moves_its_memory(data_dir: Path) -> None:
    agent = create_agent(actor=OWNER, slug="al")
    moved = update_agent(actor=OWNER, agent=agent, workspace=str(data_dir / "elsewhere"), timezone="Asia/Shanghai")
    assert index_spec(moved).collections[0].root == data_dir / "elsewhere"
    assert moved.collections.get().path == str(data_dir / "elsewhere")
    assert Agent.objects.get().update_requested_at is not None


def test_settings_are_merged_and_null_is_the_default_again() -> None:
    agent = create_agent(actor=OWNER, slug="al", settings={"max_results": 9, "mmr": False})
    agent = update_agent(actor=OWNER, agent=agent, settings={"mmr": None, "min_score": 0.2})
    own = read_settings(agent)
    assert agent.settings == {"max_results": 9, "min_score": 0.2}
    assert (own.max_results, own.ranking().mmr) == (9, None)


def test_a_stored_setting_of_another_version_is_left_out() -> None:
    assert settings_over({"gone": 1, "max_results": "many", "min_score": 0.1}, {"mode": 1}).stored() == {
        "min_score": 0.1
    }


def test_deleting_removes_the_index_and_keeps_the_markdown() -> None:
    agent = agent_with("al", {"MEMORY.md": "- tea\n"})
    index(agent)
    request_update(actor=OWNER, agent=agent)
    delete_agent(actor=OWNER, agent=agent)
    assert not index_path("al").exists() and not Run.objects.exists()
    assert (Path(agent.workspace) / "MEMORY.md").read_text() == "- tea\n"
    with pytest.raises(NotFound):
        get_agent("al")


def test_a_later_agent_of_the_same_name_is_closed_to_the_old_keys() -> None:
    agent = create_agent(actor=OWNER, slug="al")
    person("gateway", agents=["al"], rights=["read"])
    delete_agent(actor=OWNER, agent=agent)
    assert not sees(ApiKey.objects.get(), "al")


def test_a_later_agent_of_the_same_name_does_not_find_the_old_index() -> None:
    agent = agent_with("al", {"MEMORY.md": "- the safe opens with 7731\n"})
    index(agent)
    Agent.objects.all().delete()  # as if the process had died between the record and the index
    create_agent(actor=OWNER, slug="al")
    assert not index_path("al").exists()


def test_orphan_indexes_are_removed() -> None:
    index(agent_with("al", {"MEMORY.md": "- tea\n"}))
    index(agent_with("bo", {"MEMORY.md": "- tea\n"}))
    Agent.objects.filter(slug="al").delete()
    assert remove_orphan_indexes() == ["al"]
    assert index_path("bo").exists() and not index_path("al").exists()


@pytest.mark.parametrize("folder", ["workspaces/al", "workspaces/al/memory", "workspaces"])
def test_a_workspace_of_another_agent_is_refused(al: Agent, data_dir: Path, folder: str) -> None:
    with pytest.raises(Conflict, match="agent al"):
        create_agent(actor=OWNER, slug="other", workspace=str(data_dir / folder))
    assert not Agent.objects.filter(slug="other").exists()


@pytest.mark.parametrize("folder", ["transcripts", "transcripts/al", "logs"])
def test_the_servers_own_folders_are_no_workspace(data_dir: Path, db: None, folder: str) -> None:
    with pytest.raises(Invalid, match="own files"):
        create_agent(actor=OWNER, slug="other", workspace=str(data_dir / folder))
