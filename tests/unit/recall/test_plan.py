"""entities() and days(): what a message names, in six languages."""

from __future__ import annotations

from datetime import date

import pytest

from search.recall.plan import days, entities, plain_words

TODAY = date(2026, 3, 4)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("what happened on 2026-02-28?", ["2026-02-28"]),
        ("2月28日我们说了什么", ["2026-02-28"]),
        ("12月24日の予定", ["2025-12-24"]),  # the last one that is not in the future
        ("3월 1일에 뭐 했지", ["2026-03-01"]),
        ("what did we decide yesterday", ["2026-03-03"]),
        ("昨天聊的方案", ["2026-03-03"]),
        ("昨日の話", ["2026-03-03"]),
        ("어제 얘기한 거", ["2026-03-03"]),
        ("lo que dijiste ayer", ["2026-03-03"]),
        ("что мы решили вчера", ["2026-03-03"]),
        ("the day before yesterday", ["2026-03-02"]),
        ("3 days ago", ["2026-03-01"]),
        ("hace 2 días", ["2026-03-02"]),
        ("31 February is no day: 2026-02-31", []),
        ("nothing about time", []),
    ],
)
def test_days(message: str, expected: list[str]) -> None:
    assert [day.isoformat() for day in days(message, TODAY)] == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("When did Tobin last restart olivine-db2?", "olivine-db2 Tobin"),
        ("那台 chanterelle 路由器的密码", "chanterelle"),
        ("What does “blue pot” mean?", "blue pot"),
        ("what do I like", ""),
        ("which 17 boxes did we pack", ""),
        ("which box has number 4711", "4711"),
        ("Tobin", ""),  # it would only repeat the message
        ("", ""),
    ],
)
def test_entities(message: str, expected: str) -> None:
    assert entities(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ('what did "Anna" say', "what did Anna say"),
        ("it was -5 outside", "it was 5 outside"),
        ("the wi-fi at 10-12", "the wi-fi at 10-12"),
        ("“蓝色”的盆", "蓝色 的盆"),
    ],
)
def test_a_chat_does_not_speak_in_search_operators(message: str, expected: str) -> None:
    assert plain_words(message) == expected
