"""said(): what a line says, taken apart: its subject's words, numbers, weekdays and months, and whether it denies.

Which words deny, count or name a day is data: the table `review` of a language's file. Patterns
are matched against folded text (documents/terms.py). `apart` are those that only look like a denial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from search.documents.annotations import strip_annotations
from search.documents.terms import fold
from search.language.tables import tables
from search.retrieve.query import parse_query

_MARKER = re.compile(r"^\s*(?:>\s*)*(?:[-*+]|\d{1,3}[.)])?\s*(?:\[[ xX]\]\s+)?")
_LABEL = re.compile(r"^\s*\[[^\]\n]{1,40}\]\s*(?!\()")
"""A clock time or a number of its own that a line begins with: it tells where the line stands, not what it says."""
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_NUMBER = re.compile(r"(?<![a-z0-9_])\d+(?:[.,:/×x-]\d+)*%?(?![a-z]*[\d_])")
_PARTICLES = re.compile("(?<=[\u4e00-\u9fff])[的了](?=[\u4e00-\u9fff]|$)")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Said:
    """`words` are the terms of the subject, without numbers, days and denials. Values are `7:30`, `w4`, `m10`."""

    words: frozenset[str]
    numbers: frozenset[str]
    days: frozenset[str]
    denied: bool
    changed: bool = False
    """Whether the line says that something is another way now."""

    @property
    def values(self) -> frozenset[str]:
        return self.numbers | self.days


@dataclass(frozen=True, slots=True)
class _Language:
    apart: re.Pattern[str]
    negation: re.Pattern[str]
    change: re.Pattern[str]
    days: tuple[tuple[re.Pattern[str], str], ...]
    numbers: tuple[tuple[re.Pattern[str], str], ...]


def said(line: str) -> Said:
    stripped, _ = strip_annotations([line], curated=True)
    text = fold(_LINK.sub(r"\1", _LABEL.sub("", _MARKER.sub("", stripped[0])))).replace('"', " ")
    days: set[str] = set()
    numbers: set[str] = set()
    denials, changed = 0, False
    for language in _languages():
        text = language.apart.sub(" ", text)
        for pattern, day in language.days:
            text, found = pattern.subn(" ", text)
            days.update([day] * bool(found))
        for pattern, number in language.numbers:
            text, found = pattern.subn(" ", text)
            numbers.update([number] * bool(found))
        text, found = language.negation.subn(" ", text)
        denials += found
        text, found = language.change.subn(" ", text)
        changed |= found > 0
    numbers.update(match.rstrip(".,:") for match in _NUMBER.findall(text))
    rest = _PARTICLES.sub("", _NUMBER.sub(" ", text))
    words = frozenset(part for term in parse_query(rest).terms for part in term.parts)
    return Said(words, frozenset(numbers), frozenset(days), denials % 2 == 1, changed)


@cache
def _languages() -> tuple[_Language, ...]:
    return tuple(map(_read, tables("review").values()))


def _read(table: dict[str, Any]) -> _Language:
    ends = (r"(?<!\w)(?:", r")(?!\w)") if table["whole_words"] else ("(?:", ")")
    counted = f"(?={table['counted']})" if "counted" in table else ""

    def one(pattern: str, behind: str = "") -> re.Pattern[str]:
        return re.compile(f"{ends[0]}{pattern}{ends[1]}{behind}")

    def either(patterns: list[str]) -> re.Pattern[str]:
        return one("|".join(sorted(patterns, key=len, reverse=True))) if patterns else _NEVER

    days = [(one(pattern), f"w{day}") for day, pattern in enumerate(table["weekday"], 1)]
    days += [(one(pattern), f"m{month}") for month, pattern in enumerate(table["month"], 1)]
    numbers = tuple((one(pattern, counted), str(number)) for number, pattern in enumerate(table["number"], 1))
    return _Language(either(table["apart"]), either(table["negation"]), either(table["change"]), tuple(days), numbers)
