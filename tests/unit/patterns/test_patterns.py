"""No regular expression of the product turns: time grows in proportion to the text, whatever the text is.

One that is quadratic lets a note of 64 KB hold a thread for minutes, and everyone else waits.
"""

from __future__ import annotations

import re
import time
from functools import cache
from typing import Any

import pytest

from tests.unit.patterns.shapes import all_patterns, worst_shapes

GROUPS = 8
SMALL, LARGE = 16_384, 65_536
QUADRATIC = 2.0 * LARGE / SMALL
"""Twice what a linear pattern takes; a quadratic one takes four times that of a linear one."""
NOTICEABLE = 0.004
"""CPU seconds below which a ratio says nothing."""


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("group", range(GROUPS))
def test_every_pattern_takes_time_in_proportion_to_the_text(group: int) -> None:
    turning = [
        name for number, (name, pattern) in enumerate(_patterns()) if number % GROUPS == group and turns(pattern)
    ]
    assert not turning


def test_the_check_finds_what_turns() -> None:
    for pattern in (r"\w*x", r"\s+$", r'"[^x]*-"'):
        assert turns(re.compile(pattern)), pattern
    for pattern in (r"\w+", r"\A\s*x", "[^a]{0,20}b", r"(?<!\w)\w++x"):
        assert not turns(re.compile(pattern)), pattern


def test_patterns_of_every_room_are_looked_at() -> None:
    rooms = {name.split(".")[1] for name, _ in _patterns()}
    assert {"documents", "retrieve", "recall", "flush", "review", "dates", "workspace", "web", "api", "mcp"} <= rooms


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[Any]], ...]:
    return tuple(sorted(all_patterns().items()))


def turns(pattern: re.Pattern[Any]) -> bool:
    """Whether one of its worst texts takes more than in proportion. Looks at 64 KB of the two slowest alone."""
    shapes = sorted(worst_shapes(pattern), key=lambda shape: -min(_seconds(pattern, shape, 512) for _ in range(3)))
    return any(_grows(pattern, shape) for shape in shapes[:2])


def _grows(pattern: re.Pattern[Any], shape: tuple[str, str]) -> bool:
    for size in (SMALL // 4, SMALL):
        longer = _seconds(pattern, shape, size * LARGE // SMALL)
        if longer < NOTICEABLE:
            continue
        # The machine may have been busy: only what is slow each time counts.
        ratios = [_seconds(pattern, shape, size * LARGE // SMALL) / _seconds(pattern, shape, size) for _ in range(3)]
        if min(ratios) > QUADRATIC:
            return True
    return False


def _seconds(pattern: re.Pattern[Any], shape: tuple[str, str], size: int) -> float:
    before, piece = shape
    # The sign at the end makes what was found so far worth nothing.
    text: Any = (before + piece * (size // len(piece) + 1))[: size - 1] + "!"
    if isinstance(pattern.pattern, bytes):
        text = text.encode("utf-8", "replace")
    began = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return max(time.process_time() - began, 1e-6)
