"""Only finite vectors with a direction are ever handed out."""

import numpy as np
import pytest

from search.errors import EmbedderUnavailable
from search.runtime.vectors import is_usable, unit


def test_a_vector_is_scaled_to_length_one_as_float32() -> None:
    vector = unit(np.array([3.0, 4.0]))
    assert vector.dtype == np.float32
    assert vector.tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("values", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]], ids=["zero", "nan", "infinite"])
def test_a_vector_without_direction_is_an_error(values: list[float]) -> None:
    with pytest.raises(EmbedderUnavailable, match="without direction"):
        unit(np.array(values))


def test_the_smallest_and_largest_floats_still_have_a_direction() -> None:
    for value in (1e-30, 1e30):
        assert unit(np.array([value, 0.0], dtype=np.float32)).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("row", [[0.0, 0.0], [np.nan, 1.0], [-np.inf, 1.0]], ids=["zero", "nan", "infinite"])
def test_one_bad_row_makes_the_whole_reply_unusable(row: list[float]) -> None:
    assert not is_usable(np.array([[1.0, 0.0], row], dtype=np.float32), rows=2, dims=2)


def test_the_shape_must_be_the_one_asked_for() -> None:
    vectors = np.ones((2, 3), dtype=np.float32)
    assert is_usable(vectors, rows=2, dims=3)
    assert not is_usable(vectors, rows=3, dims=2)
