"""Long token sequences are cut into nearly equal windows that lose nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.runtime.windows import windows


@given(st.lists(st.integers(), max_size=2000), st.integers(min_value=1, max_value=600))
def test_windows_together_are_the_sequence_and_each_fits(tokens: list[int], limit: int) -> None:
    pieces = windows(tokens, limit)
    assert [token for piece in pieces for token in piece] == tokens
    assert max(map(len, pieces)) <= limit


@given(st.integers(min_value=1, max_value=5000), st.integers(min_value=1, max_value=600))
def test_no_window_is_much_shorter_than_another(length: int, limit: int) -> None:
    sizes = [len(piece) for piece in windows(range(length), limit)]
    assert max(sizes) - min(sizes) <= 1


def test_a_window_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one token"):
        windows([1, 2], 0)
