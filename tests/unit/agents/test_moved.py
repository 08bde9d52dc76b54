"""A data folder that was moved: notes are read and written where they are now, and chats are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.indexes.specs import index_spec
from agents.models import Agent
from agents.registry.agents import create_agent
from agents.registry.collections import create_collection
from agents.setup.moved import follow_data_folder
from agents.transcripts.store import store_turns
from search.documents.transcripts import read_turn
from search.errors import SearchError
from search.get import get_document
from tests.cast import OWNER
from workers.tasks.update import _refuse_to_call_it_well

TURN = '{"role": "user", "content": "The boiler is serviced in May."}'


@pytest.fixture
def agent(db: None, data_dir: Path, tmp_path: Path, settings: Any) -> Agent:
    settings.MEMORY_ALLOWED_ROOTS = (tmp_path,)
    agent = create_agent(actor=OWNER, slug="alpha")
    Path(agent.workspace, "MEMORY.md").write_text("here\n")
    (data_dir / "shelf").mkdir()
    create_collection(actor=OWNER, agent=agent, name="shelf", path=str(data_dir / "shelf"))
    (tmp_path / "outside").mkdir()
    create_collection(actor=OWNER, agent=agent, name="outside", path=str(tmp_path / "outside"))
    store_turns(agent=agent, session_key="agent:alpha:main", turns=[read_turn(TURN)])
    return agent


def test_a_moved_data_folder_takes_its_agents_along(
    agent: Agent, data_dir: Path, tmp_path: Path, settings: Any
) -> None:
    moved = tmp_path.resolve() / "moved"
    data_dir.rename(moved)
    settings.MEMORY_DATA_DIR = moved
    assert follow_data_folder() == 4  # the agent, and its collections memory, shelf and sessions
    spec = index_spec(Agent.objects.get(pk=agent.pk))
    assert get_document(spec, "MEMORY.md").text == "here"
    roots = {one.name: one.root for one in spec.collections}
    assert roots == {
        "memory": moved / "workspaces" / "alpha",
        "shelf": moved / "shelf",
        "outside": tmp_path / "outside",
        "sessions": moved / "transcripts" / "alpha" / "sessions",
    }
    store_turns(agent=Agent.objects.get(pk=agent.pk), session_key="agent:alpha:main", turns=[read_turn(TURN)])
    assert Agent.objects.get(pk=agent.pk).collections.filter(kind="sessions").count() == 1
    assert follow_data_folder() == 0


def test_a_folder_that_is_merely_gone_is_not_given_another(agent: Agent) -> None:
    Path(agent.workspace).rename(Path(agent.workspace).with_name("elsewhere"))
    assert follow_data_folder() == 0
    assert Agent.objects.get(pk=agent.pk).workspace == agent.workspace


@pytest.mark.parametrize("part", ["workspaces/alpha", "transcripts/alpha"])
def test_an_update_of_an_agent_whose_folder_is_gone_says_so(agent: Agent, data_dir: Path, part: str) -> None:
    _refuse_to_call_it_well(agent)
    (data_dir / part).rename(data_dir / "elsewhere")
    with pytest.raises(SearchError, match="not there"):
        _refuse_to_call_it_well(agent)


def test_a_data_folder_behind_a_symlink_has_one_collection_of_chats(
    agent: Agent, data_dir: Path, tmp_path: Path, settings: Any
) -> None:
    (tmp_path / "link").symlink_to(data_dir)
    settings.MEMORY_DATA_DIR = tmp_path / "link"
    store_turns(agent=agent, session_key="agent:alpha:telegram:direct:1", turns=[read_turn(TURN)])
    assert agent.collections.filter(kind="sessions").count() == 1
    assert follow_data_folder() == 0
