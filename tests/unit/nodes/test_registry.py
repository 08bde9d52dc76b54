"""Nodes enter themselves; a server that would take another's agents for its own does not start."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.errors import Conflict, Invalid
from agents.models import Agent, Node
from agents.nodes.registry import add_node, enter_own_node, list_nodes, remove_node, say_alive
from tests.cast import OWNER, agent_with


def test_the_first_node_takes_the_agents_that_are_there(db: None, data_dir: object, settings: Any) -> None:
    agent_with("al", {})
    settings.MEMORY_NODE_NAME, settings.MEMORY_NODE_URL = "a", "http://a:1"
    assert (enter_own_node(), enter_own_node()) == (1, 0)
    assert Agent.objects.get().node_id == "a"


def test_a_single_server_enters_nothing(db: None) -> None:
    assert enter_own_node() == 0
    assert not Node.objects.exists()


def test_a_server_without_a_name_does_not_join_a_fleet(node: str, settings: Any) -> None:
    settings.MEMORY_NODE_NAME = ""
    with pytest.raises(Conflict, match="shared by the nodes a, b"):
        enter_own_node()


def test_a_name_belongs_to_one_living_server(node: str) -> None:
    Node.objects.filter(name="a").update(data_dir="/elsewhere", url="http://other:1")
    with pytest.raises(Conflict, match="http://other:1 is the node a"):
        enter_own_node()
    Node.objects.filter(name="a").update(seen_at=timezone.now() - timedelta(minutes=1))
    enter_own_node()
    assert Node.objects.get(name="a").url == "http://127.0.0.1:1"


def test_who_is_not_heard_of_is_lost(node: str) -> None:
    Node.objects.update(seen_at=timezone.now() - timedelta(minutes=1))
    say_alive()
    assert {found.name: found.lost for found in list_nodes()} == {"a": False, "b": True}


@pytest.mark.parametrize(("name", "url"), [("c", "ftp://x"), ("c", "http://u:p@x"), ("c", "x:1")])
def test_an_address_that_is_none_is_refused(node: str, name: str, url: str) -> None:
    with pytest.raises(Invalid):
        add_node(actor=OWNER, name=name, url=url)


def test_a_node_with_agents_stays(here: Agent, there: Agent) -> None:
    with pytest.raises(Conflict, match="bo"):
        remove_node(actor=OWNER, name="b")
    Agent.objects.update(node="a")
    remove_node(actor=OWNER, name="b")
    remove_node(actor=OWNER, name="a")
    assert not Node.objects.exists() and set(Agent.objects.values_list("node", flat=True)) == {None}
