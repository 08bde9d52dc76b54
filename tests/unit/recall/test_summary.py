"""The extractive summary: whole sentences, the lines that tell, each with its own place."""

from __future__ import annotations

import pytest

from search.recall.summary import plain
from search.recall.wrapped import goes_on, rest_of_sentence
from tests.unit.recall.conftest import Household

WRAPPED = (
    "The router is in the linen cupboard because of the thick walls. Its password is\n"
    "on the fridge. The neighbours have another one.\n"
)


def test_a_sentence_that_was_wrapped_is_quoted_whole(household: Household) -> None:
    household.write("memory/network.md", f"# Network\n\n{WRAPPED}")
    answer = household.recall("router password in the linen cupboard")
    assert "Its password is on the fridge." in answer.summary
    assert "[memory/network.md#L3-L4]" in answer.context or "[memory/network.md#L1-L4]" in answer.context


def test_of_a_days_notes_only_the_line_that_tells_is_quoted(household: Household) -> None:
    household.write("memory/2026-02-01.md", "milk bought\nthe violin lesson moved to Thursday\nbread bought\n")
    answer = household.recall("when is the violin lesson")
    assert answer.summary == "the violin lesson moved to Thursday"
    assert "[memory/2026-02-01.md#L2]" in answer.context


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["# Trip", "- bring the tent"], "Trip: bring the tent"),
        (["# Trip"], "Trip"),
        (["- [x] paid", "2. done"], "paid done"),
        (["> quoted", ""], "quoted"),
    ],
)
def test_marks_of_lists_and_headings_are_left_out(lines: list[str], expected: str) -> None:
    assert plain(lines) == expected


def test_only_a_long_line_without_its_end_goes_on() -> None:
    long = "a line that is long enough to have been wrapped by an editor and"
    assert goes_on(long, "goes on here")
    assert not goes_on("a short line", "another")
    assert not goes_on(long + ".", "Another.")
    assert not goes_on(long, "- an entry") and not goes_on(long, "")
    assert rest_of_sentence("ends here. And more.") == "ends here."
    assert rest_of_sentence("no end") == "no end"


def test_sentences_of_several_notes_are_told_apart(household: Household) -> None:
    household.write("memory/2026-02-01.md", "violin lesson on Thursday\n")
    household.write("memory/2026-02-02.md", "violin lesson moved to Friday.\n")
    household.write("memory/2026-02-03.md", "violin lesson cancelled\n")
    summary = household.recall("violin lesson").summary
    assert summary.count(";") + summary.count(". ") == 2 and len(summary) <= 220
