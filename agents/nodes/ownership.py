"""Which agents are this node's: whose files and index lie on this machine. On a single server that is all of them."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Q

from agents.errors import Conflict
from agents.models import Agent


def own_name() -> str:
    """This node's name; "" on a single server, which then asks for nothing that follows here."""
    return str(settings.MEMORY_NODE_NAME)


def owned(prefix: str = "") -> Q:
    """A filter: agents of this node. `prefix` is the way to the agent, such as `agent__`."""
    return Q(**{f"{prefix}node": own_name()}) if own_name() else Q()


def at_work(prefix: str = "") -> Q:
    """A filter: agents of this node that are not on the move."""
    return owned(prefix) & Q(**{f"{prefix}frozen_at__isnull": True}) if own_name() else Q()


def own_runs() -> Q:
    """A filter: runs that this node's workers may take up."""
    return (Q(agent__isnull=True, node=own_name()) | at_work("agent__")) if own_name() else Q()


def is_owned(agent: Agent) -> bool:
    return not own_name() or agent.node_id == own_name()


def require_owned(agent: Agent) -> None:
    """For doors that no request goes through, such as commands. Raises `Conflict`."""
    if not is_owned(agent):
        raise Conflict(
            f"The files of {agent.slug} are on the node {agent.node_id or '(none)'}, not here.",
            hint=f"Do it there, or move the agent: manage.py nodes move {agent.slug} --to {own_name()}.",
        )


def refuse_other_nodes(owner: Agent, readers: list[Agent]) -> None:
    """A share is a folder that two indexes read: both have to be where the folder is. Raises `Conflict`."""
    away = [reader.slug for reader in readers if reader.node_id != owner.node_id]
    if own_name() and away:
        raise Conflict(
            f"{', '.join(away)} is not on the node of {owner.slug}, and folders are not shared between nodes.",
            hint="Move the agent there first: manage.py nodes move.",
            field="shared_with",
        )
