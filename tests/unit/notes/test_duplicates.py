"""find_duplicate(): narrow enough that no different fact is lost."""

from __future__ import annotations

import pytest

from agents.workspace.duplicates import find_duplicate
from tests.unit.notes.conftest import Desk
from tests.work import IN_PROPORTION, growth

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
        ("the boiler is serviced  on 12 March at 9:30.", 3),
        ("* The boiler is serviced on 12 March at 9:30.", 3),
        ("[ ] call the plumber", 4),
        ("备用钥匙在蓝色的花盆下面。", 5),
        ("The cafe\u0301 is shut", 7),
    ],
)
def test_the_same_in_other_clothes_is_a_duplicate(note: str, line: int) -> None:
    assert find_duplicate([*LINES, "- The caf\u00e9 is shut"], [note]) == (line, line)


@pytest.mark.parametrize(
    ("there", "note"),
    [
        ("Knows C", "Knows C++"), ("Knows C++", "Knows C#"), ("✅ rent paid", "❌ rent paid"), ("काल", "कील"),
        ("Call the plumber", "Call a plumber"), ("[x] rent", "[ ] rent"), ("1. rent", "2. rent"), ("+ 3", "- 3"),
        ("resume", "résumé"), ("Masse", "Maße"), ("ספר", "סֵפֶר"), ("كَتَبَ", "كُتِبَ"), ("rent paid?", "rent paid"),
        ("the door is open!", "the door is open"), ("備用鑰匙", "备用钥匙"), ("Ｃall", "Call"), ("√4", "4"),
        ("👍", "👍🏽"),
        ("lives in House 1", "lives in house I"), ("10 °C", "10 °F"), ("a→b", "a←b"), ("น้ำ", "นํ้า"), ("x²", "x2"),
        ("*important*", "important"), ("@anna", "anna"), ("#9", "9"), ("C", "C♯"), ("$5", "€5"), ("he is", "he's"),
    ],
)  # fmt: skip
def test_a_note_that_only_looks_the_same_is_written(desk: Desk, there: str, note: str) -> None:
    assert not desk.note(there, index=False).duplicate
    assert not desk.note(note, index=False).duplicate
    assert desk.note(there, index=False).duplicate


@pytest.mark.parametrize(
    "lines",
    [
        ["- Rent paid", "  but the cheque bounced"], ["- Rent paid", "  - not by Anna"],
        ["It is not true:", "Rent paid"],
        ["Rent paid", "is what he says"],
    ],
)  # fmt: skip
def test_a_part_of_a_passage_is_no_duplicate(lines: list[str]) -> None:
    assert find_duplicate(lines, ["- Rent paid"]) is None


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
    note = ["The boiler is serviced on 12 March at 9:30.", "", "[ ] Call the plumber"]
    assert find_duplicate(LINES, note) == (3, 4)
    assert find_duplicate(LINES, [*note, "Pay the plumber"]) is None


def test_annotations_of_the_file_do_not_count() -> None:
    assert find_duplicate(["- The gate opens with 4411. <!-- trigger: gate -->"], ["The gate opens with 4411."]) == (
        1,
        1,
    )


def test_a_long_file_is_looked_through_quickly() -> None:
    def log(count: int) -> list[str]:
        return [f"- Entry {number} of a long log, 备用钥匙在第{number}个花盆下面。" for number in range(count)]

    lines = log(10_000)
    assert find_duplicate(lines, [lines[-1], "Nothing follows."]) is None
    assert find_duplicate(lines, [lines[-1]]) == (10_000, 10_000)
    assert growth(lambda lines: find_duplicate(lines, [lines[-1], "Nothing follows."]), log, 10_000) < IN_PROPORTION


def test_signs_alone_are_compared_as_signs() -> None:
    assert find_duplicate(["- 👍"], ["👍"]) == (1, 1)
    assert find_duplicate(["- 👍"], ["👎"]) is None


def test_a_duplicate_is_looked_for_in_that_file_alone(desk: Desk) -> None:
    desk.note("Buy a ladder.")
    assert not desk.note("Buy a ladder.", "memory/other.md").duplicate
