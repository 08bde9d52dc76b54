"""A deadline is shared by the steps of one call."""

import pytest

from search.errors import EmbedderUnavailable
from search.runtime.deadline import Deadline


def test_time_left_only_shrinks() -> None:
    deadline = Deadline(5.0)
    first = deadline.left()
    assert 4.0 < deadline.left() <= first <= 5.0


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_a_deadline_that_has_passed_says_how_long_it_was(seconds: float) -> None:
    with pytest.raises(EmbedderUnavailable, match=f"timed out after {seconds * 1000:.0f} ms"):
        Deadline(seconds).left()
