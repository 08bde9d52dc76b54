"""The old copy after a move: renamed, never deleted, and what was saved in it too late is named."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agents.models import Agent, AgentMove
from agents.nodes.source import forget_index_copies, put_aside
from agents.paths import index_path
from tests.cast import index


@pytest.fixture
def moved(here: Agent) -> AgentMove:
    """`al` has gone from here to b; its old copy is still where it was."""
    index(here)
    Agent.objects.filter(pk=here.pk).update(node="b", workspace="/elsewhere/workspaces/al")
    detail = {"workspace": here.workspace, "verified_at": time.time() + 1}
    return AgentMove.objects.create(agent=here, source_id="a", target_id="b", step="aside", detail=detail)


def test_the_files_are_renamed_and_the_index_goes(moved: AgentMove, data_dir: Path) -> None:
    put_aside(moved)
    moved.refresh_from_db()
    aside = data_dir / "workspaces" / ".moved" / f"al-{moved.pk}"
    assert (moved.step, moved.detail["aside"]) == ("done", [str(aside)])
    assert (aside / "MEMORY.md").read_text() == "- The boiler is serviced in October.\n"
    assert not index_path("al").exists() and not (data_dir / "workspaces" / "al").exists()


def test_after_a_crash_it_is_done_again(moved: AgentMove, data_dir: Path) -> None:
    put_aside(moved)
    AgentMove.objects.update(step="aside")
    moved.refresh_from_db()
    put_aside(moved)
    moved.refresh_from_db()
    assert moved.step == "done" and len(moved.detail["aside"]) == 1


def test_what_was_saved_too_late_is_named(moved: AgentMove, data_dir: Path) -> None:
    moved.detail["verified_at"] = time.time() - 1
    (data_dir / "workspaces" / "al" / "memory" / "late.md").write_text("- too late\n")
    put_aside(moved)
    moved.refresh_from_db()
    assert "memory/late.md" in moved.detail["saved_late"]


def test_a_workspace_of_the_owners_own_stays_where_it_is(moved: AgentMove, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    moved.detail["workspace"] = str(own)
    put_aside(moved)
    moved.refresh_from_db()
    assert own.is_dir() and moved.detail["aside"] == [str(own)]


def test_copies_of_indexes_go_with_their_moves(moved: AgentMove, data_dir: Path) -> None:
    folder = data_dir / "indexes" / ".moving"
    for name in (f"al-{moved.pk}", "al-999", "gone-1"):
        (folder / name).mkdir(parents=True)
    assert forget_index_copies() == 2
    assert [path.name for path in folder.iterdir()] == [f"al-{moved.pk}"]
