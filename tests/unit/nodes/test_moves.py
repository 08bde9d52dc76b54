"""The row of a move: who may start one, who ends it, and what a sweep does about it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.errors import Conflict, NotFound
from agents.models import Agent, AgentMove
from agents.nodes import moves
from agents.nodes.moves import advance, cancel_move, give_up, give_up_what_stands_still, moves_to_carry_on, start_move
from agents.services import share_collection
from tests.cast import OWNER, agent_with

Step = AgentMove.Step


@pytest.fixture
def move(there: Agent) -> AgentMove:
    """From b to us."""
    return start_move(actor=OWNER, slug="bo", target="a")


@pytest.mark.parametrize(
    ("slug", "target", "error"), [("bo", "c", NotFound), ("no", "a", NotFound), ("bo", "b", Conflict)]
)
def test_what_cannot_move_is_refused(there: Agent, slug: str, target: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        start_move(actor=OWNER, slug=slug, target=target)


def test_an_agent_moves_once_at_a_time(move: AgentMove) -> None:
    with pytest.raises(Conflict, match="moving already"):
        start_move(actor=OWNER, slug="bo", target="a")


def test_whoever_shares_a_folder_stays_with_it(here: Agent) -> None:
    agent_with("reader", {})
    share_collection(actor=OWNER, collection=here.collections.get(), readers={"reader"})
    for slug, other in (("al", "reader"), ("reader", "al")):
        with pytest.raises(Conflict, match=f"shares collections with {other}"):
            start_move(actor=OWNER, slug=slug, target="b")


def test_giving_up_thaws_until_the_switch_and_not_after(move: AgentMove) -> None:
    Agent.objects.update(frozen_at=timezone.now())
    advance(move, Step.THAW)
    assert not give_up(move, "too late")
    with pytest.raises(Conflict):
        cancel_move(actor=OWNER, slug="bo")
    AgentMove.objects.update(step=Step.SWITCH)
    assert give_up(move, "in time")
    assert Agent.objects.get().frozen_at is None
    assert not advance(move, Step.THAW)


def test_after_the_switch_only_the_old_copy_can_be_let_be(move: AgentMove) -> None:
    AgentMove.objects.update(step=Step.ASIDE)
    assert cancel_move(actor=OWNER, slug="bo").step == Step.DONE


def test_what_stands_still_is_given_up_by_whoever_lives(move: AgentMove) -> None:
    assert give_up_what_stands_still() == 0
    AgentMove.objects.update(progress_at=timezone.now() - timedelta(minutes=6), error="b does not answer")
    assert give_up_what_stands_still() == 1
    assert AgentMove.objects.get().error == "it came no further for 5 minutes: b does not answer"


@pytest.mark.parametrize(
    ("step", "who"),
    [("freeze", "a"), ("copy", "a"), ("switch", "a"), ("thaw", "a"), ("aside", "b"), ("done", ""), ("failed", "a")],
)
def test_each_step_is_one_nodes_work(move: AgentMove, settings: Any, step: str, who: str) -> None:
    AgentMove.objects.update(step=step, progress_at=timezone.now() - moves.GRACE)
    for name in "ab":
        settings.MEMORY_NODE_NAME = name
        assert bool(moves_to_carry_on()) == (name == who)


def test_a_move_that_somebody_holds_is_left_to_them(move: AgentMove) -> None:
    AgentMove.objects.update(lease_until=timezone.now() + timedelta(seconds=5))
    assert moves_to_carry_on() == []


def test_the_command_says_why_it_was_given_up(move: AgentMove, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("nodes", "cancel", "bo")
    call_command("nodes", "moves")
    assert "bo: b → a, failed: given up by cli" in capsys.readouterr().out
    with pytest.raises(CommandError, match="bo is on b already"):
        call_command("nodes", "move", "bo", "--to", "b")
