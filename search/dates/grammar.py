"""The forms in which a language names a day, week, month or year: the table `dates` of its file.

A form is `kind = ["template", …]`. In a template `{month}`, `{weekday}`, `{unit}`, `{n}`, `{day}` and `{year}` stand
for the words listed under `[words]`, and `=name:value` after a template fixes a value. Templates are matched against
folded text (documents/terms.py): lower case, no accents on Latin letters, simplified Chinese.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from search.language.tables import tables

_FIXED = re.compile(r"(?<!\s)\s*=(\w+):(-?\d+)")
_SLOT = re.compile(r"\{(\w+)\}")
_DIGITS = {"day": r"\d{1,2}", "year": r"\d{4}", "n": r"\d{1,3}"}


@dataclass(frozen=True, slots=True)
class Form:
    """One way to name a time. `fixed` are values the words themselves carry."""

    kind: str
    pattern: re.Pattern[str]
    words: dict[str, tuple[tuple[re.Pattern[str], int], ...]]
    fixed: dict[str, int]

    def value(self, slot: str, text: str) -> int:
        """The number a slot's words stand for; digits stand for themselves."""
        if slot in self.fixed:
            return self.fixed[slot]
        if text.isdigit():
            return int(text)
        for pattern, value in self.words.get(slot, ()):
            if pattern.fullmatch(text):
                return value
        raise ValueError(f"{text!r} is no {slot}")


@cache
def grammars() -> tuple[Form, ...]:
    """All forms of all languages, read once."""
    return tuple(form for table in tables("dates").values() for form in _read(table))


def _read(table: dict[str, Any]) -> list[Form]:
    words = {
        slot: tuple((re.compile(pattern), value) for value, pattern in enumerate(patterns, _first(slot)))
        for slot, patterns in table["words"].items()
    }
    spaced = table.get("spaced", True)
    return [
        _form(kind, template, table["words"], words, spaced)
        for kind, templates in table["forms"].items()
        for template in templates
    ]


def _first(slot: str) -> int:
    """Months and counts begin at 1, weekdays (Monday) and units (day, week, month, year) at 0."""
    return 0 if slot in ("weekday", "unit") else 1


def _form(
    kind: str,
    template: str,
    sources: dict[str, list[str]],
    words: dict[str, tuple[tuple[re.Pattern[str], int], ...]],
    spaced: bool,
) -> Form:
    fixed = {name: int(value) for name, value in _FIXED.findall(template)}
    body = _FIXED.sub("", template)

    def slot(match: re.Match[str]) -> str:
        choices = [*sources.get(match[1], ()), *([_DIGITS[match[1]]] if match[1] in _DIGITS else ())]
        return f"(?P<{match[1]}>{'|'.join(choices)})"

    body = _SLOT.sub(slot, body)
    # A value that no slot captures is captured by the whole match.
    for name in fixed:
        body = f"(?P<{name}>{body})"
    pattern = rf"(?<!\w)(?:{body})(?![\w/-])" if spaced else body
    return Form(kind, re.compile(pattern), words, fixed)
