"""A node's jobs are about its own agents alone; a single server's about all."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from agents.errors import Conflict
from agents.models import Agent, Run
from agents.runs import (
    agents_awaiting_embeddings,
    agents_without_index,
    claim,
    due_agents,
    request_pull,
    request_run,
    stale_runs,
)
from agents.services import share_collection
from agents.specs import embedding_spec
from tests.cast import OWNER
from workers.dispatch import dispatch
from workers.queues import of_node
from workers.watched_folders import existing_folders


def test_the_sweep_sees_its_own_agents(here: Agent, there: Agent, settings: Any) -> None:
    Agent.objects.update(pending_embeddings=1, last_update_at=timezone.now())
    for found in (due_agents, lambda _: agents_without_index(), lambda _: agents_awaiting_embeddings()):
        assert [agent.slug for agent in found(timezone.now())] == ["al"]
    settings.MEMORY_NODE_NAME = ""
    assert {agent.slug for agent in due_agents(timezone.now())} == {"al", "bo"}


def test_an_agent_on_the_move_is_left_alone(here: Agent) -> None:
    run = request_run(agent=here, kind=Run.Kind.UPDATE, reason="test")
    Agent.objects.update(frozen_at=timezone.now())
    assert due_agents(timezone.now()) == stale_runs(timezone.now()) == []
    assert claim(run.pk, owner="me", lease_seconds=9) is None


def test_a_run_of_another_node_is_neither_taken_nor_sent(there: Agent) -> None:
    run = request_run(agent=there, kind=Run.Kind.UPDATE, reason="test")
    assert claim(run.pk, owner="me", lease_seconds=9) is None
    assert dispatch(run)  # no broker is asked: there is none here
    run.refresh_from_db()
    assert run.dispatched_at is None


def test_each_node_downloads_its_own_models(node: str, settings: Any) -> None:
    first = request_pull(subject="m", reason="test")
    settings.MEMORY_NODE_NAME = "b"
    second = request_pull(subject="m", reason="test")
    assert first.pk != second.pk == request_pull(subject="m", reason="test").pk
    assert [run.pk for run in stale_runs(timezone.now())] == [second.pk]


def test_the_watcher_watches_its_own_folders(here: Agent, there: Agent) -> None:
    assert existing_folders().agents() == {here.pk}


def test_vectors_are_taken_from_indexes_that_are_here(here: Agent, there: Agent) -> None:
    Agent.objects.update(settings={"share_vectors": True})
    here.refresh_from_db()
    assert embedding_spec(here).vector_sources == ()


def test_a_new_agent_is_where_it_was_made(here: Agent, settings: Any) -> None:
    assert here.node_id == "a"


def test_folders_are_not_shared_between_nodes(here: Agent, there: Agent) -> None:
    with pytest.raises(Conflict, match="bo is not on the node of al"):
        share_collection(actor=OWNER, collection=here.collections.get(), readers={"bo"})


def test_a_command_says_where_the_files_are(there: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("memory", "search", "boat", "--agent", "bo")
    assert "on the node b, not here" in capsys.readouterr().err


@pytest.mark.parametrize(("node", "name"), [("", "index"), ("a", "index.a")])
def test_queues_are_named_by_node(node: str, name: str) -> None:
    assert of_node("index", node) == name
