"""A chore: one at a time, told while it goes on, honest about how it ended."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event, Thread

import pytest

from agents.core.errors import Conflict
from memory_appliance.chores import Chore, ChoreState, Report


@pytest.fixture
def chore(data_dir: Path, db: None) -> Chore:
    return Chore("try")


def ended(chore: Chore, thread: Thread | None) -> ChoreState:
    assert thread is not None
    thread.join(10)
    state = chore.state()
    assert state is not None and not state.running
    return state


def test_there_is_no_state_before_the_first(chore: Chore) -> None:
    assert chore.state() is None


def test_each_word_is_seen_while_the_work_goes_on(chore: Chore) -> None:
    told, go_on = Event(), Event()

    def work(report: Report) -> None:
        report.doing("halfway")
        report.line({"found": 1})
        told.set()
        go_on.wait(10)

    thread = chore.start(work, subject="all")
    assert told.wait(10)
    state = Chore("try").state()
    assert state is not None and state.running and (state.subject, state.now) == ("all", "halfway")
    go_on.set()
    after = ended(chore, thread)
    assert after.lines == ({"found": 1},) and after.now == "" and after.error == "" and after.ended_at is not None


def test_a_second_one_waits_for_no_turn(chore: Chore) -> None:
    go_on = Event()

    def wait(report: Report) -> None:
        go_on.wait(10)

    thread = chore.start(wait)
    assert Chore("try").start(lambda report: None) is None
    another = Chore("another")
    ended(another, another.start(lambda report: None))
    go_on.set()
    ended(chore, thread)
    ended(chore, chore.start(lambda report: None))


def test_a_refusal_is_told_in_its_words_and_a_fault_by_its_kind(chore: Chore) -> None:
    def refuse(report: Report) -> None:
        raise Conflict("The store is busy.", hint="Wait.")

    def fail(report: Report) -> None:
        raise ZeroDivisionError

    assert ended(chore, chore.start(refuse)).error == "The store is busy. Wait."
    assert "ZeroDivisionError" in ended(chore, chore.start(fail)).error


def test_work_whose_process_died_does_not_run_for_ever(chore: Chore, data_dir: Path) -> None:
    ended(chore, chore.start(lambda report: None))
    path = data_dir / "run" / "chores" / "try.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "running": True, "ended_at": None}))
    state = chore.state()
    assert state is not None and not state.running and "stopped" in state.error


def test_a_file_that_is_no_state_counts_as_none(chore: Chore, data_dir: Path) -> None:
    folder = data_dir / "run" / "chores"
    folder.mkdir(parents=True)
    for text in ("", "{", "[]", '"x"', "{}"):
        (folder / "try.json").write_text(text)
        assert chore.state() is None, text
