"""growth(): how the CPU time of some work grows with its input. How busy the machine is does not count."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")
TIMES = 8
IN_PROPORTION = 3.0 * TIMES
"""Work in proportion to its input stays below; quadratic work takes `TIMES` * `TIMES`."""
RUNS = 15
SHORTEST = 0.002


def growth(work: Callable[[Input], object], make: Callable[[int], Input], size: int) -> float:
    """CPU time of `work(make(size))` over that of `work(make(size // TIMES))`: the least of at least three runs each.

    Other work on the machine adds to a run and never takes from it, a cold cache for one. So a ratio that
    is too high is measured again, and the least of all runs counts: quadratic work stays quadratic in each of them.
    """
    small, large = make(size // TIMES), make(size)
    least_small = least_large = float("inf")
    for run in range(RUNS):
        least_small = min(least_small, _seconds(work, small))
        least_large = min(least_large, _seconds(work, large))
        if run >= 2 and least_large / least_small < IN_PROPORTION:
            break
    return least_large / least_small


def _seconds(work: Callable[[Input], object], given: Input) -> float:
    """CPU time of one run, the mean of as many as take two milliseconds: a shorter time says more of the clock."""
    started, runs = time.thread_time(), 0
    while (passed := time.thread_time() - started) < SHORTEST or not runs:
        work(given)
        runs += 1
    return passed / runs
