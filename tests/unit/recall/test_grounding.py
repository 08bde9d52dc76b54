"""is_grounded(): numbers, names, dates and most words of a summary must be in the sources."""

from __future__ import annotations

import pytest

from search.recall.grounding import is_grounded, says_nothing

NOTE = "2026-03-10: Marisol pays 1,250 EUR to Acme for the boiler service; the code is `A1F0-33`."
ZH = "小满：女儿，2018 年 11 月 2 日生，青禾小学二年级"


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("Marisol pays 1,250 EUR for the boiler service.", NOTE),
        ("The boiler service code is A1F0-33.", NOTE),
        ("小满是女儿，2018 年 11 月 2 日生", ZH),
    ],
)
def test_what_the_source_says_is_grounded(summary: str, source: str) -> None:
    assert is_grounded(summary, [source])


@pytest.mark.parametrize(
    "summary",
    [
        "Marisol pays 1,350 EUR for the boiler service.",  # another number
        "The boiler service is paid by Haruto.",  # another name
        "The boiler service code is A1F0-34.",
        "Marisol pays for the boiler service on 2026-04-10.",
        'Marisol said "never again" about the boiler service.',
        "Rain is likely on the coast this weekend.",
        "",
    ],
)
def test_what_it_does_not_say_is_not(summary: str) -> None:
    assert not is_grounded(summary, [NOTE])


def test_a_wrong_number_among_chinese_words_is_noticed() -> None:
    assert not is_grounded("小满是女儿，2019 年 11 月 2 日生", [ZH])


@pytest.mark.parametrize("text", ["NONE", "none.", "n/a", "null", "[]", "{}", "", " No relevant memory ", "无", "нет"])
def test_ways_of_saying_nothing(text: str) -> None:
    assert says_nothing(text)


def test_a_note_that_begins_with_none_says_something() -> None:
    assert not says_nothing("None of the keys fit the shed")
