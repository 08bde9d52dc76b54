"""Times that people name, in six languages, from Monday the 30th of November 2026."""

from datetime import date

import pytest

from search.dates import find_dates
from tests.work import IN_PROPORTION, growth

TODAY = date(2026, 11, 30)


def spans(text):
    return [(span.first.isoformat(), span.last.isoformat()) for span in find_dates(text, TODAY)]


DAY = "2026-11-29"
WEEK = ("2026-11-23", "2026-11-29")
MONTH = ("2026-10-01", "2026-10-31")


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("what happened on 2026-09-01?", ("2026-09-01", "2026-09-01")),
        ("notes of 2026/09", ("2026-09-01", "2026-09-30")),
        ("what did we decide last March", ("2026-03-01", "2026-03-31")),
        ("in December", ("2025-12-01", "2025-12-31")),
        ("March 5, 2025", ("2025-03-05", "2025-03-05")),
        ("the 3rd of May", ("2026-05-03", "2026-05-03")),
        ("May last year", ("2025-05-01", "2025-05-31")),
        ("three weeks ago", ("2026-11-09", "2026-11-15")),
        ("2 days ago", ("2026-11-28", "2026-11-28")),
        ("yesterday", (DAY, DAY)),
        ("last week", WEEK),
        ("last month", MONTH),
        ("last Wednesday", ("2026-11-25", "2026-11-25")),
        ("last Monday", ("2026-11-23", "2026-11-23")),
        ("Wednesday last week", ("2026-11-25", "2026-11-25")),
        ("in 2024", ("2024-01-01", "2024-12-31")),
        ("上周三我们说了什么", ("2026-11-25", "2026-11-25")),
        ("去年五月的账单", ("2025-05-01", "2025-05-31")),
        ("昨天", (DAY, DAY)),
        ("三天前", ("2026-11-27", "2026-11-27")),
        ("上个月", MONTH),
        ("上周", WEEK),
        ("上週三", ("2026-11-25", "2026-11-25")),
        ("2026年3月5日", ("2026-03-05", "2026-03-05")),
        ("3月5日", ("2026-03-05", "2026-03-05")),
        ("五月做了什么", ("2026-05-01", "2026-05-31")),
        ("十二月", ("2025-12-01", "2025-12-31")),
        ("去年", ("2025-01-01", "2025-12-31")),
        ("hace dos semanas", ("2026-11-16", "2026-11-22")),
        ("ayer", (DAY, DAY)),
        ("el mes pasado", MONTH),
        ("el lunes pasado", ("2026-11-23", "2026-11-23")),
        ("5 de marzo de 2025", ("2025-03-05", "2025-03-05")),
        ("en marzo", ("2026-03-01", "2026-03-31")),
        ("в прошлом месяце", MONTH),
        ("вчера", (DAY, DAY)),
        ("две недели назад", ("2026-11-16", "2026-11-22")),
        ("в марте", ("2026-03-01", "2026-03-31")),
        ("в прошлую среду", ("2026-11-25", "2026-11-25")),
        ("5 марта", ("2026-03-05", "2026-03-05")),
        ("先週の水曜日", ("2026-11-25", "2026-11-25")),
        ("先月", MONTH),
        ("去年の5月", ("2025-05-01", "2025-05-31")),
        ("3日前", ("2026-11-27", "2026-11-27")),
        ("지난주 수요일", ("2026-11-25", "2026-11-25")),
        ("지난달", MONTH),
        ("작년 5월", ("2025-05-01", "2025-05-31")),
        ("어제", (DAY, DAY)),
    ],
)
def test_a_named_time_is_understood(text, span):
    assert spans(text) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "may I ask who marched", "we sat in the sun", "the second floor", "version 2026.9.6", "port 18789",
        "10.77.30.0/24", "一个月多少钱", "三个月", "周围有什么", "月亮", "日记", "ocho gatos", "март", "2026-13-40", "",
        "2026-02-30", "what is the plan", "9月以前的计划吗" [2:],
    ],
)  # fmt: skip
def test_what_names_no_time_is_none(text):
    assert spans(text) == []


def test_two_times_are_two_spans():
    assert len(spans("between 2026-09-01 and 2026-09-15")) == 2


@pytest.mark.parametrize("unit", ["9", "last ", "一二三四五六七八九十", "2026-"])
def test_a_hostile_text_takes_time_in_proportion(unit):
    def text(size):
        return unit * (size // len(unit))

    assert growth(lambda text: find_dates(text, TODAY), text, 100_000) < IN_PROPORTION
