"""A query's language is taken out of its vector, for models whose centres are known; others are left alone."""

import json
from importlib import resources

import numpy as np
import pytest

from search.runtime.centres import _centres, centre_query, has_centres
from search.runtime.presets import BUNDLED


def test_the_bundled_model_has_a_centre_for_every_language_of_its_questions() -> None:
    questions = json.loads(resources.files("search.runtime.centres").joinpath("questions.json").read_text("utf-8"))
    centres = _centres(BUNDLED.id)
    assert centres is not None and centres.shape == (len(questions), BUNDLED.dims)
    assert len({len(asked) for asked in questions.values()}) == 1


def test_two_questions_of_one_language_lose_what_they_share() -> None:
    centres = _centres(BUNDLED.id)
    assert centres is not None
    rng = np.random.default_rng(1)
    one, two = (centres[1] + 0.3 * rng.standard_normal(BUNDLED.dims).astype(np.float32) / 20 for _ in range(2))
    one, two = one / np.linalg.norm(one), two / np.linalg.norm(two)
    before, after = one @ two, centre_query(one, BUNDLED.id) @ centre_query(two, BUNDLED.id)
    assert after < before - 0.1
    assert np.linalg.norm(centre_query(one, BUNDLED.id)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("model", ["none", "words", "../../../etc/passwd", ""])
def test_a_model_without_centres_is_used_as_it_is(model: str) -> None:
    vector = np.ones(BUNDLED.dims, np.float32)
    assert not has_centres(model)
    assert centre_query(vector, model) is vector


def test_a_vector_of_another_shape_is_left_alone() -> None:
    vector = np.ones(3, np.float32)
    assert centre_query(vector, BUNDLED.id) is vector
