"""Page: one page of a list that is short enough to be counted, by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row")
Stored = TypeVar("Stored", bound=Model)
MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """`number` counts from 1; 0 as `before` or `after` means that there is none. `found`: rows on all pages."""

    rows: tuple[Row, ...]
    number: int
    pages: int
    found: int

    @property
    def before(self) -> int:
        return self.number - 1

    @property
    def after(self) -> int:
        return self.number + 1 if self.number < self.pages else 0


def page_of(rows: QuerySet[Stored], wanted: object, *, size: int = 50) -> Page[Stored]:
    """`wanted` as it came in the address: what is no number is the first page, what is too high the last."""
    found = rows.count()
    pages = max(1, -(-found // size))
    number = max(1, min(as_number(wanted) or 1, pages))
    shown: Iterable[Stored] = rows[(number - 1) * size : number * size]
    return Page(tuple(shown), number, pages, found)


def as_number(text: object) -> int | None:
    """A whole number as it stands in an address, small enough for any database; None for everything else."""
    digits = str(text)
    return int(digits) if len(digits) <= MOST_DIGITS and digits.isascii() and digits.isdecimal() else None
