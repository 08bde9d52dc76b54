"""find_duplicate(): narrow enough that no different fact is lost."""

from __future__ import annotations

import time

import pytest

from agents.workspace.duplicates import find_duplicate
from tests.unit.notes.conftest import Desk

LINES = [
    "# House",
    "",
    "- The boiler is serviced on 12 March at 9:30. <!-- importance: 7 -->",
    "- [ ] Call the plumber",
    "- 备用钥匙在蓝色的花盆下面。",
    "- The freezer is set to -18 °C.",
]


@pytest.mark.parametrize(
    ("note", "line"),
    [
        ("the boiler is serviced on 12 March, at 9:30", 3),
        ("* Call the plumber!", 4),
        ("備用鑰匙在藍色花盆下面", 5),
        ("Ｃall  plumber", 4),
    ],
)
def test_the_same_in_other_clothes_is_a_duplicate(note: str, line: int) -> None:
    assert find_duplicate(LINES, [note]) == (line, line)


@pytest.mark.parametrize(
    "note",
    [
        "The boiler is serviced on 12 March at 9:45.",
        "The boiler is not serviced on 12 March at 9:30.",
        "The boiler was serviced on 12 March at 9:30.",
        "Call the painter",
        "备用钥匙不在蓝色的花盆下面。",
        "The freezer is set to 18 °C.",
    ],
)
def test_another_fact_is_none(note: str) -> None:
    assert find_duplicate(LINES, [note]) is None


def test_several_lines_are_compared_together() -> None:
    note = ["The boiler is serviced on 12 March at 9:30.", "", "Call the plumber"]
    assert find_duplicate(LINES, note) == (3, 4)
    assert find_duplicate(LINES, [*note, "Pay the plumber"]) is None


def test_annotations_of_the_file_do_not_count() -> None:
    assert find_duplicate(["- The gate opens with 4411. <!-- trigger: gate -->"], ["The gate opens with 4411"]) == (
        1,
        1,
    )


def test_a_long_file_is_looked_through_quickly() -> None:
    lines = [f"- Entry {number} of a long log, 备用钥匙在第{number}个花盆下面。" for number in range(20_000)]
    started = time.process_time()
    assert find_duplicate(lines, ["备用钥匙在第 19999 个花盆下面", "Nothing follows."]) is None
    assert find_duplicate(lines, [lines[-1]]) == (20_000, 20_000)
    assert time.process_time() - started < 2


def test_signs_alone_are_compared_as_signs() -> None:
    assert find_duplicate(["- 👍"], ["👍"]) == (1, 1)
    assert find_duplicate(["- 👍"], ["👎"]) is None


def test_a_duplicate_is_looked_for_in_that_file_alone(desk: Desk) -> None:
    desk.note("Buy a ladder.")
    assert not desk.note("Buy a ladder.", "memory/other.md").duplicate
