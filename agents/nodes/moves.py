"""The row of a move: start it, give it up, and go from one step to the next, each by a conditional update."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from agents.actors import SYSTEM, Actor
from agents.audit import record
from agents.errors import Conflict, NotFound
from agents.models import Agent, AgentMove, CollectionShare
from agents.nodes.ownership import own_name
from agents.nodes.registry import get_node
from agents.selectors import get_agent

Step = AgentMove.Step

PATIENCE = timedelta(minutes=5)
"""A move that has come no further for so long before the switch is given up: its agent can be written again."""
GRACE = timedelta(seconds=5)
"""Between the switch and putting the old copy aside: requests that were under way read it to their end."""


def start_move(*, actor: Actor, slug: str, target: str) -> AgentMove:
    """Write down the wish; the target's worker carries it out. Raises `NotFound`, `Conflict`."""
    agent, node = get_agent(slug), get_node(target)
    if agent.node_id is None:
        raise Conflict(f"{slug} belongs to no node.", hint="Start its server with MEMORY_NODE_NAME first.")
    if agent.node_id == target:
        raise Conflict(f"{slug} is on {target} already.", hint="manage.py nodes list shows who has what.")
    _refuse_shares(agent)
    try:
        with transaction.atomic():
            move = AgentMove.objects.create(agent=agent, source_id=agent.node_id, target=node)
            detail = {"from": agent.node_id, "to": target}
            record(actor=actor, action="agent.move", target=slug, agent_slug=slug, detail=detail)
    except IntegrityError as error:
        raise Conflict(f"{slug} is moving already.", hint="manage.py nodes moves shows how far it is.") from error
    return move


def cancel_move(*, actor: Actor, slug: str) -> AgentMove:
    """Before the switch: give it up. After it only the old copy is left, which then stays where it is."""
    with transaction.atomic():
        move = AgentMove.objects.select_for_update().filter(agent__slug=slug, step__in=AgentMove.ACTIVE).first()
        if move is None:
            raise NotFound(f"{slug} is not moving.", hint="manage.py nodes moves lists the moves.")
        if move.step == Step.THAW:
            raise Conflict(f"{slug} has moved; only its thaw is missing.", hint="It comes by itself.")
        if move.step == Step.ASIDE:
            _close(move, Step.DONE, "the old copy was not put aside")
        else:
            _close(move, Step.FAILED, f"given up by {actor.name}")
        record(actor=actor, action="agent.move_cancel", target=slug, agent_slug=slug, detail={"step": move.step})
    return move


def give_up(move: AgentMove, reason: str) -> bool:
    """End the move where it can be ended, and let the agent be written again. False when it is too late."""
    with transaction.atomic():
        row = AgentMove.objects.select_for_update().filter(pk=move.pk, step__in=AgentMove.BEFORE_SWITCH).first()
        if row is None:
            return False
        _close(row, Step.FAILED, reason)
        slug = row.agent.slug
        record(actor=SYSTEM, action="agent.move_failed", target=slug, agent_slug=slug, detail={"step": move.step})
    return True


def advance(move: AgentMove, to: str, **detail: Any) -> bool:
    """From the step that `move` shows to the next one; False when somebody else changed it meanwhile."""
    changed = AgentMove.objects.filter(pk=move.pk, step=move.step).update(
        step=to, detail={**move.detail, **detail}, error="", progress_at=timezone.now()
    )
    move.refresh_from_db()
    return bool(changed)


def progressed(move: AgentMove) -> None:
    AgentMove.objects.filter(pk=move.pk).update(progress_at=timezone.now(), error="")


def note_problem(move: AgentMove, problem: str) -> None:
    """Why it waits, for whoever looks."""
    AgentMove.objects.filter(pk=move.pk, step__in=AgentMove.ACTIVE).update(error=problem)


def finish(move: AgentMove, **detail: Any) -> None:
    now = timezone.now()
    AgentMove.objects.filter(pk=move.pk, step=Step.ASIDE).update(
        step=Step.DONE, detail={**move.detail, **detail}, error="", progress_at=now, finished_at=now
    )


def moves_to_carry_on() -> list[AgentMove]:
    """What this node's worker has to do now: bring agents in, put old copies aside, tidy up after what was given up."""
    now = timezone.now()
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    coming = Q(target=own_name(), step__in=(*AgentMove.BEFORE_SWITCH, Step.THAW))
    aside = Q(source=own_name(), step=Step.ASIDE, progress_at__lt=now - GRACE)
    given_up = Q(target=own_name(), step=Step.FAILED, detail__cleared__isnull=True)
    return list(AgentMove.objects.select_related("agent").filter(free, coming | aside | given_up).order_by("pk"))


def give_up_what_stands_still() -> int:
    """Of this node's agents, as the source or the target: whoever of the two lives."""
    mine = Q(source=own_name()) | Q(target=own_name())
    late = Q(step__in=AgentMove.BEFORE_SWITCH, progress_at__lt=timezone.now() - PATIENCE)
    reason = f"it came no further for {PATIENCE.seconds // 60} minutes"
    return sum(
        give_up(move, f"{reason}: {move.error}" if move.error else reason)
        for move in AgentMove.objects.filter(mine & late)
    )


def _close(move: AgentMove, step: str, reason: str) -> None:
    move.step, move.error, move.finished_at = step, reason, timezone.now()
    move.save(update_fields=["step", "error", "finished_at"])
    if step == Step.FAILED:
        Agent.objects.filter(pk=move.agent_id).update(frozen_at=None)


def _refuse_shares(agent: Agent) -> None:
    """A shared folder and its readers stay on one node."""
    shares = CollectionShare.objects.filter(Q(reader=agent) | Q(collection__agent=agent))
    others = sorted({share.reader.slug for share in shares} | {share.collection.agent.slug for share in shares})
    if others:
        names = ", ".join(slug for slug in others if slug != agent.slug)
        raise Conflict(
            f"{agent.slug} shares collections with {names}, and folders are not shared between nodes.",
            hint="End the shares (shared_with), move them all, and share again.",
        )
