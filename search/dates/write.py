"""written_dates(): the relative times of a note ("tomorrow", "next week") as the dates they meant when it was said.

A note is read days later, when "tomorrow" is another day. Each language's words are data, the table `dates_of_notes`
of its file: a rule has a pattern, which day it means, and how that is written. What names no single time ("on
Fridays", "one day", a weekday in the past tense) stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

from search.language.tables import tables

MAX_CHARS = 2_000
"""Of a note; the rest stays as it is."""
_SLOT = re.compile(r"\{(weekday|n)\}")
_ALNUM = re.compile(r"[0-9A-Za-z]")
_SENTENCE = re.compile(r"[^.!?。！？\n]*")
"""A habit or the past tense speaks for the weekdays of its own sentence."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """`unit` with `offset` is the time meant, counted from the day it was said; n of the text is added to both."""

    pattern: re.Pattern[str]
    unit: str
    offset: int
    sign: int
    write: str
    bare: bool


@dataclass(frozen=True, slots=True)
class _Language:
    rules: tuple[_Rule, ...]
    weekdays: tuple[re.Pattern[str], ...]
    numbers: tuple[re.Pattern[str], ...]
    repeated: re.Pattern[str]


def written_dates(text: str, said_on: date) -> str:
    """`text` with the dates that its relative times mean, said on that day in the speaker's time zone."""
    head, rest = text[:MAX_CHARS], text[MAX_CHARS:]
    found = sorted(_found(head, said_on), key=lambda item: (item[0], -item[1]))
    out, at = "", 0
    for begin, end, words in found:
        if begin < at:
            continue
        out += head[at:begin]
        if not out and head[begin].isupper():
            words = words[0].upper() + words[1:]
        if out and _ALNUM.match(out[-1]) and _ALNUM.match(words):
            out += " "
        out += words + (" " if _ALNUM.match(head[end : end + 1]) else "")
        at = end
    return out + head[at:] + rest


def _found(text: str, said_on: date) -> Iterator[tuple[int, int, str]]:
    for language in _languages():
        repeated = [
            match.span() for match in _SENTENCE.finditer(text) if match[0] and language.repeated.search(match[0])
        ]
        for rule in language.rules:
            for match in rule.pattern.finditer(text):
                if rule.bare and any(begin <= match.start() < end for begin, end in repeated):
                    continue
                try:
                    yield match.start(), match.end(), _written(rule, match, language, said_on)
                except (ValueError, OverflowError):
                    continue  # a day beyond the calendar


def _written(rule: _Rule, match: re.Match[str], language: _Language, said_on: date) -> str:
    groups = match.groupdict()
    count = _value(language.numbers, groups["n"], first=1) if groups.get("n") else 0
    offset = rule.offset + rule.sign * count
    weekday = _value(language.weekdays, groups["weekday"], first=0) if groups.get("weekday") else None
    monday = said_on - timedelta(days=said_on.weekday())
    match rule.unit:
        case "day":
            meant = said_on + timedelta(days=offset)
        case "week":
            meant = monday + timedelta(weeks=offset, days=weekday or 0)
        case "after_weeks":
            meant = said_on + timedelta(weeks=offset)
        case "coming":
            assert weekday is not None
            meant = said_on + timedelta(days=(weekday - said_on.weekday() - 1) % 7 + 1)
        case "latest":
            assert weekday is not None
            meant = said_on - timedelta(days=(said_on.weekday() - weekday - 1) % 7 + 1)
        case "weekend":
            meant = monday + timedelta(weeks=offset, days=5)
        case "month":
            position = said_on.year * 12 + said_on.month - 1 + offset
            meant = date(position // 12, position % 12 + 1, 1)
        case _:
            meant = date(said_on.year + offset, 1, 1)
    values = {name: text or "" for name, text in groups.items()}
    values |= {
        "self": match[0],
        "day": meant.isoformat(),
        "month": f"{meant:%Y-%m}",
        "y": f"{meant:%Y}",
        "m": str(meant.month),
    }
    return rule.write.format_map(values).strip()


def _value(words: tuple[re.Pattern[str], ...], text: str, *, first: int) -> int:
    if text.isdecimal():
        return int(text)
    return next(value for value, pattern in enumerate(words, first) if pattern.fullmatch(text))


@cache
def _languages() -> tuple[_Language, ...]:
    return tuple(map(_read, tables("dates_of_notes").values()))


def _read(table: dict[str, Any]) -> _Language:
    words = {"weekday": "|".join(table["weekday"]), "n": "|".join([*table["number"], r"\d{1,3}"])}

    def compiled(source: str) -> re.Pattern[str]:
        source = _SLOT.sub(lambda match: f"(?P<{match[1]}>{words[match[1]]})", source)
        return re.compile(rf"(?<!\w)(?:{source})(?!\w)" if table["spaced"] else source, re.IGNORECASE)

    def words_of(name: str) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(source, re.IGNORECASE) for source in table[name])

    rules = tuple(
        _Rule(
            compiled(rule["find"]),
            rule["unit"],
            rule.get("offset", 0),
            rule.get("sign", 1),
            rule["write"],
            rule.get("bare", False),
        )
        for rule in table["rule"]
    )
    return _Language(rules, words_of("weekday"), words_of("number"), compiled(table["repeated"]))
