"""`share_vectors`: vectors travel between two agents only when both allow it."""

from __future__ import annotations

import pytest

from agents.core.paths import index_path
from agents.indexes.specs import embedding_spec, index_spec
from agents.models import Agent
from agents.registry.agents import update_agent
from agents.registry.selectors import get_agent
from search.index.embed import embed_pending
from tests import cast
from tests.engine import WordEmbedder, ignore, never

NOTE = {"memory/note.md": "# House\n\nThe boiler is from 2019.\n"}


@pytest.fixture
def twins(db: None, data_dir: object) -> tuple[Agent, Agent]:
    made = tuple(cast.agent_with(slug, NOTE) for slug in ("first", "second"))
    for agent in made:
        cast.index(agent)
    return made[0], made[1]


def allow(agent: Agent, value: bool | None = True) -> None:
    update_agent(actor=cast.OWNER, agent=agent, settings={"share_vectors": value})


def asked(agent: Agent) -> int:
    """How many texts the model is asked for when the agent's chunks are embedded."""
    embedder = WordEmbedder()
    spec = embedding_spec(get_agent(agent.slug))
    embed_pending(spec, embedder, budget_seconds=60, progress=ignore, cancelled=never)
    return len(embedder.seen)


def test_agents_that_both_allow_it_embed_equal_text_once(twins: tuple[Agent, Agent]) -> None:
    for agent in twins:
        allow(agent)
    assert [asked(agent) for agent in twins] == [1, 0]


@pytest.mark.parametrize("allowing", [(), (0,), (1,)], ids=["neither", "the lender alone", "the borrower alone"])
def test_agents_share_nothing_unless_both_allow_it(twins: tuple[Agent, Agent], allowing: tuple[int, ...]) -> None:
    for number in allowing:
        allow(twins[number])
    assert [asked(agent) for agent in twins] == [1, 1]


def test_taken_back_it_ends(twins: tuple[Agent, Agent]) -> None:
    for agent in twins:
        allow(agent)
    assert embedding_spec(get_agent("second")).vector_sources == (index_path("first"),)
    allow(twins[0], None)
    assert embedding_spec(get_agent("second")).vector_sources == ()


def test_a_search_does_not_look_for_other_agents(twins: tuple[Agent, Agent]) -> None:
    for agent in twins:
        allow(agent)
    assert index_spec(get_agent("second")).vector_sources == ()
