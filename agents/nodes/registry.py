"""The nodes of the fleet: each enters itself at its start and says every few seconds that it lives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from agents.actors import Actor
from agents.audit import record
from agents.errors import Conflict, Invalid, NotFound
from agents.models import Agent, AgentMove, Node
from agents.nodes.ownership import own_name
from search.runtime.providers.address import checked_url

LOST_AFTER = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class NodeState:
    """`lost`: its worker has not been heard of for half a minute."""

    name: str
    url: str
    data_dir: str
    seen_at: datetime | None
    agents: int
    lost: bool


def list_nodes() -> tuple[NodeState, ...]:
    oldest = timezone.now() - LOST_AFTER
    return tuple(
        NodeState(
            node.name, node.url, node.data_dir, node.seen_at, node.count, node.seen_at is None or node.seen_at < oldest
        )
        for node in Node.objects.annotate(count=Count("agents"))
    )


def get_node(name: str) -> Node:
    node = Node.objects.filter(name=name).first()
    if node is None:
        known = ", ".join(Node.objects.values_list("name", flat=True)) or "none yet"
        raise NotFound(f"There is no node {name}.", hint=f"There are: {known}.")
    return node


@transaction.atomic
def enter_own_node() -> int:
    """Called at every start. The first node takes the agents that have none; returns how many those are.

    Raises `Conflict` for a server without a name on a database that nodes share: it would take every agent for its
    own, and for a name that another living server has.
    """
    name, now = own_name(), timezone.now()
    nodes = {node.name: node for node in Node.objects.select_for_update()}
    if not name:
        if nodes:
            raise Conflict(
                f"The control database is shared by the nodes {', '.join(nodes)}, and this server has no name.",
                hint="Set MEMORY_NODE_NAME, or take the nodes out with manage.py nodes remove.",
            )
        return 0
    place = str(settings.MEMORY_DATA_DIR)
    before = nodes.get(name)
    alive = before is not None and before.seen_at is not None and before.seen_at > now - LOST_AFTER
    if before is not None and alive and before.data_dir != place:
        raise Conflict(
            f"Another server at {before.url} is the node {name} and alive.", hint="Choose another MEMORY_NODE_NAME."
        )
    own, _ = Node.objects.update_or_create(name=name, defaults={"url": settings.MEMORY_NODE_URL, "data_dir": place})
    return 0 if nodes else Agent.objects.filter(node=None).update(node=own)


def worker_name() -> str:
    """Under which name this server's worker writes its heartbeat."""
    return f"worker@{own_name()}" if own_name() else "worker"


def say_alive() -> None:
    if own_name():
        Node.objects.filter(name=own_name()).update(seen_at=timezone.now())


def add_node(*, actor: Actor, name: str, url: str) -> Node:
    """Enter a node that has not been started yet, or give it another address until its next start."""
    try:
        node = Node(name=name, url=checked_url(url))
        node.clean_fields(exclude=["data_dir"])
    except ValueError as error:
        raise Invalid(f"{url}: {error}.", hint="Such as http://10.0.0.7:8765.", field="url") from error
    Node.objects.update_or_create(name=name, defaults={"url": node.url})
    record(actor=actor, action="node.add", target=name, detail={"url": node.url})
    return get_node(name)


@transaction.atomic
def remove_node(*, actor: Actor, name: str) -> None:
    """Take out a node that has no agents. The last one leaves its agents to the single server that remains."""
    node = get_node(name)
    others = Node.objects.exclude(name=name).exists()
    if AgentMove.objects.filter(step__in=AgentMove.ACTIVE).filter(source=node).exists() or (
        AgentMove.objects.filter(step__in=AgentMove.ACTIVE, target=node).exists()
    ):
        raise Conflict(f"An agent is moving from or to {name}.", hint="Wait for it, or cancel the move.")
    if others and node.agents.exists():
        slugs = ", ".join(node.agents.values_list("slug", flat=True)[:5])
        raise Conflict(f"{name} has agents: {slugs} …", hint="Move them to another node first.")
    node.agents.update(node=None)
    AgentMove.objects.filter(source=node).delete()
    AgentMove.objects.filter(target=node).delete()
    node.delete()
    record(actor=actor, action="node.remove", target=name)
