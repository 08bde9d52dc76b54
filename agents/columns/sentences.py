"""Columns for what people are told: text that is English to every reader, and that keeps its template and values."""

from __future__ import annotations

from typing import Any

from django.db import models

from search.sentences import packed, unpacked


class _Packed(models.Field):  # type: ignore[type-arg]
    """Described to migrations as the column it is: nothing of the table differs."""

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        usual = next(base for base in type(self).__mro__ if base.__module__.startswith("django.db.models.fields"))
        return name, f"django.db.models.{usual.__name__}", args, kwargs

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        below = getattr(super(), "from_db_value", None)
        return _each(unpacked, below(value, expression, connection) if below else value)

    def get_prep_value(self, value: Any) -> Any:
        return super().get_prep_value(self._packed(value))

    def _packed(self, value: Any) -> Any:
        return _each(packed, value)


class SentenceText(_Packed, models.TextField):  # type: ignore[type-arg]
    """One sentence."""


class SentenceChars(_Packed, models.CharField):  # type: ignore[type-arg]
    """One sentence; its English is cut where it is longer than the column, and nothing else is kept of such a one."""

    def _packed(self, value: Any) -> Any:
        longest = self.max_length or 0
        if not isinstance(value, str):
            return value
        return held if len(held := packed(value)) <= longest else str(value)[:longest]


class SentencesJson(_Packed, models.JSONField):
    """Sentences anywhere in a value of lists and objects."""


def _each(change: Any, value: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_each(change, one) for one in value]
    if isinstance(value, dict):
        return {name: _each(change, one) for name, one in value.items()}
    return value
