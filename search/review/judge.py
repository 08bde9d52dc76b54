"""judge(): whether two lines say the same twice, or disagree about one subject in a number, a day or a denial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from search.review.words import Said

Kind = Literal["number", "date", "negation", "duplicate"]

ALIKE = 0.5
"""Least likeness of the subjects of two lines that may disagree, where one only adds words to the other's."""
ALIKE_EACH = 0.65
"""The same where each has words of its own, which may make it another subject."""
THE_SAME = 0.75
"""Least likeness of two lines that say the same twice."""
LEAST_WORDS = 2

Weight = Callable[[str], float]
"""How much a word says: rare ones more than those of every other line."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`likeness` of the subjects, 0 to 1; `first` and `second` are the values that differ, as they are compared."""

    kind: Kind
    likeness: float
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()


def judge(one: Said, other: Said, weight: Weight) -> Verdict | None:
    """None when they have too little in common, or nothing that differs in a way that can be told."""
    if min(len(one.words), len(other.words)) < LEAST_WORDS:
        return None
    alike = likeness(one, other, weight)
    if alike < (ALIKE_EACH if one.words - other.words and other.words - one.words else ALIKE):
        return None
    if one.days != other.days or one.numbers != other.numbers:
        return _values(one, other, alike)
    if one.denied != other.denied:
        return Verdict("negation", alike)
    return Verdict("duplicate", alike) if alike >= THE_SAME else None


def likeness(one: Said, other: Said, weight: Weight) -> float:
    """Weighed share of the words that both have among those that either has."""
    shared = sum(map(weight, one.words & other.words))
    return shared / sum(map(weight, one.words | other.words)) if shared else 0.0


def _values(one: Said, other: Said, alike: float) -> Verdict | None:
    """What only one of them names contradicts nothing: it is said more exactly, or not at all."""
    if _differ(one.days, other.days):
        return Verdict("date", alike, *_only(one.days, other.days))
    if _differ(one.numbers, other.numbers):
        kind: Kind = "date" if one.days and one.days == other.days else "number"
        return Verdict(kind, alike, *_only(one.numbers, other.numbers))
    return None


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one - other) and bool(other - one)


def _only(one: frozenset[str], other: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(sorted(one - other)), tuple(sorted(other - one))
