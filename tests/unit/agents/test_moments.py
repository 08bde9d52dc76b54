"""moment_of(): every number that a disk may give has a date."""

from __future__ import annotations

import math

import pytest

from agents.core.moments import FIRST, LAST, moment_of


@pytest.mark.parametrize("seconds", [math.inf, 2.0**63, 253_402_300_800])
def test_a_time_far_off_is_the_last(seconds: float) -> None:
    assert moment_of(seconds) == LAST


@pytest.mark.parametrize("seconds", [-math.inf, -(2.0**63), -62_135_596_801])
def test_a_time_long_ago_is_the_first(seconds: float) -> None:
    assert moment_of(seconds) == FIRST


def test_no_number_is_1970() -> None:
    assert moment_of(math.nan).year == 1970
