"""find_dates(): the spans of days that a text names, relative to a given day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from search.dates.grammar import Form, grammars
from search.documents.terms import fold

MAX_CHARS = 500
"""Of the question; times are named in a sentence, not in a pasted document."""


@dataclass(frozen=True, slots=True)
class DateSpan:
    """First and last day meant, inclusive, and the words that said so."""

    first: date
    last: date
    text: str


_ISO = re.compile(r"(?<![\w./-])(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?![\w/-])")


def find_dates(text: str, today: date) -> tuple[DateSpan, ...]:
    """Every span that `text` names, none within another; empty for a text that names no time.

    A month or weekday without a year or week is the latest one that is not in the future.
    """
    folded = fold(text[:MAX_CHARS])
    found = sorted(_spans(folded, today), key=lambda item: (item[0], -item[1]))
    kept: list[tuple[int, int, DateSpan]] = []
    for begin, end, span in found:
        if not any(begin < other_end and other_begin < end for other_begin, other_end, _ in kept):
            kept.append((begin, end, span))
    return tuple(span for _, _, span in kept)


def _spans(folded: str, today: date) -> Iterator[tuple[int, int, DateSpan]]:
    for match in _ISO.finditer(folded):
        span = _calendar(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
        if span is not None:
            yield match.start(), match.end(), DateSpan(*span, match[0])
    for form in grammars():
        for match in form.pattern.finditer(folded):
            span = _resolve(form, match, today)
            if span is not None:
                yield match.start(), match.end(), DateSpan(*span, match[0].strip())


def _resolve(form: Form, match: re.Match[str], today: date) -> tuple[date, date] | None:
    """The days of one match; None for a date that does not exist."""
    values = {name: form.value(name, text) for name, text in match.groupdict().items() if text}
    try:
        return _RESOLVERS[form.kind](values, today)
    except (ValueError, OverflowError):
        return None


def _calendar(year: int, month: int | None, day: int | None) -> tuple[date, date] | None:
    try:
        if month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if day is not None:
            return date(year, month, day), date(year, month, day)
        return _month(year, month)
    except ValueError:
        return None


def _month(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    following = date(year + month // 12, month % 12 + 1, 1)
    return first, following - timedelta(days=1)


def _shifted_month(today: date, months: int) -> tuple[date, date]:
    position = today.year * 12 + today.month - 1 + months
    return _month(position // 12, position % 12 + 1)


def _week(today: date, weeks: int) -> tuple[date, date]:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return monday, monday + timedelta(days=6)


def _days(values: dict[str, int], today: date) -> tuple[date, date]:
    day = today + timedelta(days=values["offset"])
    return day, day


def _unit(values: dict[str, int], today: date) -> tuple[date, date]:
    """`last week`, `this month`: a whole unit, `offset` units from now."""
    offset = values["offset"]
    match values["unit"]:
        case 0:
            return _days({"offset": offset}, today)
        case 1:
            return _week(today, offset)
        case 2:
            return _shifted_month(today, offset)
        case _:
            return date(today.year + offset, 1, 1), date(today.year + offset, 12, 31)


def _ago(values: dict[str, int], today: date) -> tuple[date, date]:
    """`three weeks ago`: the unit around that day, since people do not count to the day."""
    return _unit({"offset": -values["n"], "unit": values["unit"]}, today)


def _weekday(values: dict[str, int], today: date) -> tuple[date, date]:
    """The latest such day before today; with `weeks`, that day of the week so many weeks off."""
    weeks = values.get("weeks")
    if weeks is not None:
        day = _week(today, weeks)[0] + timedelta(days=values["weekday"])
    else:
        day = today - timedelta(days=(today.weekday() - values["weekday"] - 1) % 7 + 1)
    return day, day


def _named_month(values: dict[str, int], today: date) -> tuple[date, date] | None:
    """A month or a day of it: of a given year, of so many years off, or the latest one."""
    month, day = values["month"], values.get("day")
    if "year" in values:
        year = values["year"]
    elif "years" in values:
        year = today.year + values["years"]
    else:
        year = today.year if (month, day or 1) <= (today.month, today.day) else today.year - 1
        if values.get("last") and (year, month) == (today.year, today.month):
            year -= 1
    return _calendar(year, month, day)


def _year(values: dict[str, int], today: date) -> tuple[date, date] | None:
    return _calendar(values["year"], None, None)


_RESOLVERS = {
    "days": _days,
    "unit": _unit,
    "ago": _ago,
    "weekday": _weekday,
    "month": _named_month,
    "year": _year,
}
