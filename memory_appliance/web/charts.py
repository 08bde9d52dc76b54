"""Charts as shapes for one SVG that is stretched to its box; words stand in HTML around it, a table behind it.

A module of its own because the libraries that draw SVG on a server (pygal, matplotlib) bring styles inline, which the
content policy refuses, and sizes that do not follow the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

WIDTH, HEIGHT = 280, 128
SPARK_WIDTH, SPARK_HEIGHT = 96, 24
_BAR = 0.66
"""Share of a place that its bar fills."""
_GAP = 1.0
"""Between two parts of one bar."""
_ROUND = (1, 2, 2.5, 4, 5, 8, 10)


@dataclass(frozen=True, slots=True)
class Rect:
    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Line:
    kind: str
    path: str


@dataclass(frozen=True, slots=True)
class Chart:
    """`said` tells the figures to those who do not see them. `scale`: words at the right edge, the highest first."""

    title: StrOrPromise
    figure: StrOrPromise
    beside: StrOrPromise
    said: StrOrPromise
    scale: tuple[StrOrPromise, ...]
    rects: tuple[Rect, ...] = ()
    lines: tuple[Line, ...] = ()
    legend: tuple[tuple[str, StrOrPromise], ...] = ()


def top_of(highest: float) -> float:
    """The end of the scale: the next round number that halves well."""
    power = 1.0
    while power * 10 <= highest:
        power *= 10
    while highest and power > highest:
        power /= 10
    return next((power * step for step in _ROUND if power * step >= highest), power * 10) if highest else 1.0


def bars(stacks: Sequence[Sequence[tuple[str, float]]], top: float) -> tuple[Rect, ...]:
    """One bar a stack, its parts from below: (kind, value). Parts of 0 are left out."""
    place = WIDTH / max(len(stacks), 1)
    found = []
    for number, parts in enumerate(stacks):
        base = float(HEIGHT)
        for kind, value in parts:
            height = HEIGHT * value / top
            if value > 0:
                shown = max(height - _GAP, 0.6)
                found.append(Rect(kind, number * place + place * (1 - _BAR) / 2, base - shown, place * _BAR, shown))
                base -= height
    return tuple(found)


def line(kind: str, values: Sequence[float | None], top: float, *, width: int = WIDTH, height: int = HEIGHT) -> Line:
    """A path through the values; where one is missing the line is broken."""
    step = width / max(len(values) - 1, 1)
    path, broken = [], True
    for number, value in enumerate(values):
        if value is not None:
            path.append(f"{'M' if broken else 'L'}{number * step:.1f} {height - height * min(value / top, 1):.1f}")
        broken = value is None
    if len(path) == 1:
        path.append("h0.1")
    return Line(kind, " ".join(path))


def spark(values: Sequence[int]) -> str:
    """The path of a sparkline; "" when there is nothing in it."""
    if not any(values):
        return ""
    return line("", values, max(values) * 1.1, width=SPARK_WIDTH, height=SPARK_HEIGHT).path
