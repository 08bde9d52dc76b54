"""consolidate(): what searches really used is promoted, past the thresholds, without losing what was there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agents.access.provenance import record
from agents.core.actors import SYSTEM
from agents.core.agent_settings import read_settings
from agents.files.history import restore, versions
from agents.memory import reads
from agents.models import Agent, UsedEntry
from agents.registry.agents import update_agent
from agents.upkeep.consolidation import Consolidated, consolidate, consolidate_all
from agents.upkeep.consolidation.rewrite import HEADING
from tests import cast

NOW = datetime(2026, 11, 30, 3, tzinfo=UTC)
LINE = "The boiler service by Norden costs 140 crowns every October."
NOTE = f"# Saturday\n\n- rain all day\n- {LINE}\n"
QUESTIONS = ("boiler service costs", "what does norden cost", "service in october", "crowns for the boiler", "norden")


@pytest.fixture
def used(db: None, data_dir: Path) -> Agent:
    """An agent whose note on the boiler came up for five questions on three days."""
    agent = cast.agent_with(
        "al", {"MEMORY.md": "# House\n\n- The key is under the pot.\n", "memory/2026-11-21.md": NOTE}
    )
    cast.index(agent)
    update_agent(actor=cast.OWNER, agent=agent, settings={"consolidate_enabled": True})
    agent.refresh_from_db()
    ask(agent)
    return agent


def ask(agent: Agent) -> None:
    for question in QUESTIONS:
        params = reads.SearchParams(question, min_score=0)
        reads.search(agent=agent, caller=cast.TRUSTED, session=None, params=params)
    days = ["2026-11-21", "2026-11-25", "2026-11-29"]
    UsedEntry.objects.update(days=days, last_at=NOW - timedelta(hours=9), score_sum=4.5, recalls=5)


def run(agent: Agent, **more: Any) -> Consolidated:
    return consolidate(agent=Agent.objects.get(pk=agent.pk), actor=SYSTEM, now=NOW, **more)


def text_of(agent: Agent, name: str = "MEMORY.md") -> str:
    return (Path(agent.workspace) / name).read_text(encoding="utf-8")


def test_a_search_records_the_line_that_answered_and_its_question(used: Agent) -> None:
    entry = UsedEntry.objects.get()
    assert (entry.path, entry.line, len(entry.queries)) == ("memory/2026-11-21.md", 4, 5)


def test_a_used_line_is_promoted_with_its_source_and_the_diary_says_so(used: Agent) -> None:
    done = run(used)
    assert (done.status, done.promoted[0].anchor) == ("promoted", "memory/2026-11-21.md#L4")
    assert text_of(used).startswith(
        "# House\n\n- The key is under the pot.\n\n" + HEADING + " (2026-11-30)\n\n- The boiler"
    )
    assert "<!-- from: memory/2026-11-21.md#L4 --> <!-- importance: " in text_of(used)
    assert LINE in text_of(used, "DREAMS.md")


def test_it_is_promoted_once(used: Agent) -> None:
    run(used)
    before = text_of(used)
    ask(used)
    assert run(used).status == "nothing" and text_of(used) == before


@pytest.mark.parametrize("missing", ["_tell_diary", "index_now"])
def test_a_round_that_was_cut_short_is_ended_by_the_next(used: Agent, monkeypatch: Any, missing: str) -> None:
    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr(f"agents.upkeep.consolidation.run.{missing}", lambda *_: 1 / 0)
        run(used)
    UsedEntry.objects.update(promoted_at=None)  # it came last
    assert run(used).status == "nothing"
    assert (text_of(used).count(LINE), text_of(used, "DREAMS.md").count(LINE)) == (1, 1)
    assert UsedEntry.objects.get().promoted_at


def test_a_line_that_was_promoted_once_is_no_other_than_itself(used: Agent) -> None:
    run(used)
    (Path(used.workspace) / "memory/2026-11-21.md").rename(Path(used.workspace) / "memory/2026-11-22.md")
    UsedEntry.objects.update(path="memory/2026-11-22.md", promoted_at=None)
    assert run(used).status == "nothing"
    assert text_of(used).count(LINE) == 1
    assert "superseded" not in text_of(used)


def test_a_very_long_memory_is_refused_at_once(used: Agent) -> None:
    (Path(used.workspace) / "MEMORY.md").write_text("- a\n" * 30_000)
    done = run(used)
    assert (done.status, done.reason) == (
        "refused", "MEMORY.md has 120000 characters; above 100000 nothing is added. Shorten it",
    )  # fmt: skip


def test_a_dry_run_shows_the_difference_and_writes_nothing(used: Agent) -> None:
    done = run(used, dry_run=True)
    assert done.diff.startswith("--- MEMORY.md") and f"+- {LINE}" in done.diff
    assert LINE not in text_of(used) and not (Path(used.workspace) / "DREAMS.md").exists()


def test_the_version_before_is_kept(used: Agent) -> None:
    run(used)
    kept = versions(agent=used, caller=cast.TRUSTED, path="MEMORY.md")
    assert isinstance(kept, tuple) and kept[0].action == "consolidate"
    restore(agent=used, actor=cast.OWNER, path="MEMORY.md", version=kept[-1].version)
    assert text_of(used) == "# House\n\n- The key is under the pot.\n"


@pytest.mark.parametrize("change", [{"recalls": 2}, {"queries": ["a", "b"]}, {"score_sum": 0.5}])
def test_below_a_threshold_nothing_happens(used: Agent, change: dict[str, Any]) -> None:
    UsedEntry.objects.update(**change)
    assert run(used).status == "nothing"


def test_a_line_that_is_gone_or_that_nobody_vouches_for_is_left_out(used: Agent) -> None:
    record(agent=used, path="memory/2026-11-21.md", text=f"- {LINE}", origin="untrusted")
    assert run(used).status == "nothing"
    cast.write_files(used, {"memory/2026-11-21.md": "# Saturday\n"})
    assert run(used).status == "nothing"


def test_an_entry_with_other_numbers_is_marked_and_stays(used: Agent) -> None:
    old = "- The boiler service by Norden costs 120 crowns every October."
    cast.write_files(used, {"MEMORY.md": f"# House\n\n{old}\n- Norden has 3 vans.\n"})
    assert run(used).superseded == (old,)
    assert f"{old} <!-- status: superseded 2026-11-30 -->\n- Norden has 3 vans.\n" in text_of(used)


def test_the_oldest_promotions_make_room_and_a_persons_lines_never(used: Agent) -> None:
    mine = "".join(f"- My own line number {number}.\n" for number in range(40))
    old = f"{HEADING} (2026-01-01)\n\n- An old promotion of {'x' * 40}.\n"
    cast.write_files(used, {"MEMORY.md": f"# House\n\n{mine}\n{old}"})
    size = len(text_of(used)) + 120
    update_agent(actor=cast.OWNER, agent=used, settings={"context_file_chars": size})
    assert run(used).status == "promoted"
    assert mine in text_of(used) and "old promotion" not in text_of(used) and LINE in text_of(used)


def test_a_rewrite_that_loses_too_much_is_refused(used: Agent) -> None:
    old = f"{HEADING} (2026-01-01)\n\n- One old promotion.\n- Two old promotions.\n"
    cast.write_files(used, {"MEMORY.md": f"# House\n\n- My line.\n\n{old}"})
    update_agent(actor=cast.OWNER, agent=used, settings={"context_file_chars": len(text_of(used)) + 170})
    done = run(used)
    assert (done.status, "would be lost" in done.reason, LINE in text_of(used)) == ("refused", True, False)


def test_at_night_it_runs_for_those_who_want_it(used: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=used, settings={"consolidate_enabled": None})
    UsedEntry.objects.update(last_at=datetime.now(UTC))
    assert consolidate_all() == 0 and not read_settings(Agent.objects.get()).consolidate_enabled
    update_agent(actor=cast.OWNER, agent=used, settings={"consolidate_enabled": True})
    assert consolidate_all() == 1


def test_a_search_leaves_no_trace_unless_it_is_wanted(db: None, data_dir: Path) -> None:
    agent = cast.agent_with("al", {"memory/2026-11-21.md": NOTE})
    cast.index(agent)
    params = reads.SearchParams("boiler service", min_score=0)
    reads.search(agent=agent, caller=cast.TRUSTED, session=None, params=params)
    assert not UsedEntry.objects.exists()
