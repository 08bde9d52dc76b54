"""`nodes list` and `nodes moves`: who has how many agents and lives, and which agents are on the way."""

from __future__ import annotations

from django.core.management.base import OutputWrapper
from django.utils import timezone

from agents.models import AgentMove
from agents.nodes.ownership import own_name
from agents.nodes.registry import list_nodes

SHOWN = 20


def show_nodes(out: OutputWrapper) -> None:
    nodes = list_nodes()
    if not nodes:
        out.write("A single server: there are no nodes. docs/nodes.md says how it becomes one of several.")
    for node in nodes:
        seen = "never seen"
        if node.seen_at is not None:
            seen = f"seen {max(0, round((timezone.now() - node.seen_at).total_seconds()))} s ago"
        here = "  (this one)" if node.name == own_name() else ""
        out.write(f"{node.name:16}{'LOST' if node.lost else 'ok':6}{seen:20}{node.agents:6} agents  {node.url}{here}")


def show_moves(out: OutputWrapper) -> None:
    found = list(AgentMove.objects.select_related("agent")[:SHOWN])
    if not found:
        out.write("No agent has moved yet.")
    for move in found:
        out.write(f"{move.agent.slug}: {move.source_id} → {move.target_id}, {said(move)}")


def said(move: AgentMove) -> str:
    """Where a move stands, in words."""
    return f"{move.step}: {move.error}" if move.error else str(move.step)
