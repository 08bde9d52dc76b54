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
CONTAINED, LEAST_ALIKE = 0.6, 0.2
"""Where a line says that a value has changed: the share of the shorter one's words, and of both, that is enough."""
THE_SAME = 0.75
"""Least likeness of two lines that say the same twice."""
LEAST_SHARED = 2

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
    alike = likeness(one, other, weight)
    if not _one_subject(one, other, alike, weight):
        return None
    differing = _values(one, other, alike)
    if differing is not None:
        return differing
    if one.denied != other.denied:
        return Verdict("negation", alike)
    return Verdict("duplicate", alike) if alike >= THE_SAME and one.values == other.values else None


def likeness(one: Said, other: Said, weight: Weight) -> float:
    """Weighed share of the words that both have among those that either has; a value that both name is a word too."""
    named = one.values & other.values
    shared = sum(map(weight, (one.words & other.words) | named))
    return shared / sum(map(weight, one.words | other.words | named)) if shared else 0.0


def _one_subject(one: Said, other: Said, alike: float, weight: Weight) -> bool:
    shared = (one.words & other.words) | (one.values & other.values)
    if len(shared) < LEAST_SHARED or not one.words & other.words:
        return False
    if (one.changed or other.changed) and one.values != other.values and alike >= LEAST_ALIKE:
        shorter = min(sum(map(weight, said.words | (one.values & other.values))) for said in (one, other))
        if sum(map(weight, shared)) >= CONTAINED * shorter:
            return True
    each = one.words - other.words and other.words - one.words
    return alike >= (ALIKE_EACH if each else ALIKE)


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
