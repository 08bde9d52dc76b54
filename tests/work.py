"""growth(): how the CPU time of some work grows with its input. How busy the machine is does not count."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")
TIMES = 8
IN_PROPORTION = 3.0 * TIMES
"""Work in proportion to its input stays below; quadratic work takes `TIMES` * `TIMES`."""


def growth(work: Callable[[Input], object], make: Callable[[int], Input], size: int) -> float:
    """CPU time of `work(make(size))` over that of `work(make(size // TIMES))`: the least of three runs each."""
    small, large = make(size // TIMES), make(size)
    return min(_seconds(work, large) for _ in range(3)) / min(_seconds(work, small) for _ in range(3))


def _seconds(work: Callable[[Input], object], given: Input) -> float:
    started = time.thread_time()
    work(given)
    return time.thread_time() - started
