"""`nodes move AGENT --to NODE`: start it and say how it goes; ending the command does not end the move."""

from __future__ import annotations

import time

from django.core.management.base import CommandError, OutputWrapper

from agents.actors import CLI
from agents.models import AgentMove
from agents.nodes.moves import start_move
from agents.nodes.registry import list_nodes
from memory_appliance.management.nodes.listing import said

POLL_SECONDS = 0.5
PATIENCE_SECONDS = 3600

Step = AgentMove.Step


def move_agent(out: OutputWrapper, *, slug: str, target: str, wait: bool) -> None:
    """Raises `CommandError` when the move was given up, and `RuleError` when it cannot be started."""
    move = start_move(actor=CLI, slug=slug, target=target)
    lost = [node.name for node in list_nodes() if node.lost and node.name in (move.source_id, move.target_id)]
    if lost:
        out.write(f"{', '.join(lost)} is lost: the move begins when it is back, or is given up after five minutes.")
    if not wait:
        out.write(f"{slug} is on its way to {target}; manage.py nodes moves says how far it is.")
        return
    _follow(out, move)
    _report(out, move)


def _follow(out: OutputWrapper, move: AgentMove) -> None:
    shown, until = "", time.monotonic() + PATIENCE_SECONDS
    while move.step not in (Step.DONE, Step.FAILED):
        if said(move) != shown:
            shown = said(move)
            out.write(f"  {shown}")
            out.flush()
        if time.monotonic() > until:
            raise CommandError("it still has not arrived; manage.py nodes moves says how far it is")
        time.sleep(POLL_SECONDS)
        move.refresh_from_db()


def _report(out: OutputWrapper, move: AgentMove) -> None:
    if move.step == Step.FAILED:
        reason = move.error.rstrip(".")
        raise CommandError(f"the move was given up: {reason}. {move.agent.slug} is where it was, and is written.")
    detail = move.detail
    megabytes = detail.get("bytes", 0) / 1e6
    out.write(f"moved: {detail.get('files', 0)} files, {megabytes:.1f} MB, compared by their hashes")
    for path in detail.get("aside", ()):
        out.write(f"  the old copy on {move.source_id}: {path}")
    for path in detail.get("left_out", ()):
        out.write(f"  not moved, because it is no regular file: {path}")
    for path in detail.get("saved_late", ()):
        out.write(f"  saved in the old copy while it was moving, look at it there: {path}")
