"""After a power cut: what was under way is taken up again, and what is damaged is found."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from agents.core.paths import index_path
from agents.jobs.runs import stale_runs
from agents.models import Agent, Run, WorkspaceWrite
from agents.workspace import objects
from agents.workspace.reading import digest_of
from memory_appliance.boot.repair import RUNNING_SECONDS, ended_uncleanly, repair
from memory_appliance.boot.say import LaunchFailed
from search.index.damage import is_damaged
from workers.alive import say_alive, say_gone


def test_a_worker_that_ended_in_order_leaves_nothing(data_dir: Path) -> None:
    assert not ended_uncleanly(alone=True)
    say_alive(data_dir / "run", "worker")
    assert ended_uncleanly(alone=True)
    say_gone(data_dir / "run", "worker")
    assert not ended_uncleanly(alone=True)


def test_a_worker_that_is_at_work_beside_this_start_is_left_alone(data_dir: Path) -> None:
    say_alive(data_dir / "run", "worker")
    assert not ended_uncleanly(alone=False)
    past = time.time() - RUNNING_SECONDS - 1
    os.utime(data_dir / "run/alive/worker", (past, past))
    assert ended_uncleanly(alone=False)


def test_runs_of_the_dead_are_sent_again_at_once(al: Agent) -> None:
    Run.objects.all().delete()
    later = timezone.now() + timedelta(minutes=3)
    run = Run.objects.create(agent=al, kind="embed", state="running", lease_owner="gone:1", lease_until=later)
    assert repair().runs == 1
    assert stale_runs(timezone.now() + timedelta(seconds=1)) == [run]


def test_an_append_that_was_cut_short_is_completed(al: Agent) -> None:
    note = Path(al.workspace) / "MEMORY.md"
    before, block = note.read_bytes(), b"- The boiler was serviced.\n"
    objects.keep("al", before)
    after = objects.keep_appended("al", before, block)
    WorkspaceWrite.objects.create(
        agent=al, path="MEMORY.md", action="append", before=digest_of(before), after=after, start=len(before)
    )
    note.write_bytes(before + block[:9])
    assert repair().writes == 1
    assert note.read_bytes() == before + block


def test_a_damaged_index_is_handed_to_the_next_update(al: Agent, al_2: Agent) -> None:
    index_path("al").write_bytes(b"power cut" * 1000)
    found = repair()
    assert (found.checked, found.damaged) == (2, ("al",))
    assert is_damaged(index_path("al")) and not is_damaged(index_path("al-2"))


def test_indexes_are_looked_at_for_a_while_and_not_for_ever(al: Agent, al_2: Agent, monkeypatch: Any) -> None:
    monkeypatch.setattr("memory_appliance.boot.repair.INDEX_SECONDS", -1)
    found = repair()
    assert (found.checked, found.indexes) == (0, 2)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="about the file of a control database in SQLite")
def test_a_damaged_control_database_is_not_served(db: None, data_dir: Path, monkeypatch: Any) -> None:
    broken = data_dir / "broken.sqlite3"
    with closing(sqlite3.connect(broken)) as database:
        database.execute("CREATE TABLE t(x)")
    broken.write_bytes(broken.read_bytes()[:4096] + b"\xee" * 4096)
    monkeypatch.setattr("agents.backup.control.control_file", lambda: broken)
    with pytest.raises(LaunchFailed, match="damaged") as caught:
        repair()
    assert "manage.py restore latest --force" in caught.value.hint
