"""sentence(): what people are told, in English, with its parts, so that a page can say it in another language.

The engine and the rules know no language but English. A `Sentence` is that English text, and keeps the template, which
is its id in the catalogues (gettext's habit), and the values; so nothing has to read a sentence back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Value = str | int | float
"""A value may be a sentence again."""

TOGETHER = "{first}; {then}"
_MARK = '{"sentence": '


class Sentence(str):
    """English text that remembers its template and values."""

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, Value]

    def __new__(cls, text: str, template: str, values: Mapping[str, Value]) -> Sentence:
        made = super().__new__(cls, text)
        made.template, made.values = template, values
        return made

    def __getnewargs__(self) -> tuple[str, str, Mapping[str, Value]]:  # type: ignore[override]
        return str(self), self.template, self.values


def sentence(template: str, /, **values: object) -> str:
    """`template` with `{name}` for each of the values, as `str.format` takes it; without values it is taken as it is.

    The template is collected for the catalogues, so it is written as a plain string. A value that is neither text nor
    a number is kept as its text, so it has no format of its own in the template.
    """
    kept = {name: value if isinstance(value, str | int | float) else str(value) for name, value in values.items()}
    return Sentence(template.format(**kept) if kept else template, template, kept)


def filled(template: str, **values: object) -> str:
    """`sentence` for a template that stands in a table, where it was marked with `sentence` too."""
    return sentence(str(template), **values)


def ended(text: str) -> str:
    """`text` with a full stop, unless it has its end."""
    return text if text.endswith((".", "!", "?")) else sentence("{text}.", text=text)


def in_turn(first: str, then: str) -> str:
    """Two sentences; the second may be empty."""
    return sentence("{first} {then}", first=ended(first), then=then) if then else ended(first)


def together(texts: Sequence[str]) -> str:
    """Several as one, with semicolons between; "" for none."""
    first, *others = texts or ("",)
    return sentence("{first}; {then}", first=first, then=together(others)) if others else first


def packed(text: str) -> str:
    """A sentence as one string to be stored or sent. Other text is as it is, and never taken for a packed sentence."""
    if isinstance(text, Sentence):
        return json.dumps(_as_object(text))
    return f" {text}" if text.startswith(_MARK) else text


def unpacked(text: str) -> str:
    """What was packed; other text, such as that of an earlier version, is as it is."""
    if not text.startswith(_MARK):
        return text
    try:
        return _of_object(json.loads(text))
    except (ValueError, TypeError, LookupError, AttributeError):
        return text


def _as_object(text: Sentence) -> dict[str, Any]:
    values = {name: _as_object(one) if isinstance(one, Sentence) else one for name, one in text.values.items()}
    return {"sentence": text.template, "values": values}


def _of_object(held: dict[str, Any]) -> str:
    values = {name: _of_object(one) if isinstance(one, dict) else one for name, one in held["values"].items()}
    return sentence(held["sentence"], **values)
