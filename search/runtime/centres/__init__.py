"""centre_query(): take the language out of a query's vector, so that notes in other languages can be near to it.

A multilingual embedder puts the language of a text into its vector too: a Chinese question is near to every Chinese
sentence before it is near to the right English one. What all questions of a language share is their mean; most of it
is subtracted from the query. Notes keep their vectors as they are. Measured in docs/ranking.md.

`<model>.npy` holds one mean per language, shape (languages, dims), made from `questions.json` by
`python -m search.training.centres`. A model without such a file is used as it is.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np

from search.runtime.protocols import Vectors

STRENGTH = 0.8
"""How much of the mean is subtracted. All of it would also take away what questions have in common with answers."""


@cache
def _centres(model: str) -> Vectors | None:
    """(languages, dims), or None for a model that has none."""
    file = resources.files(__name__) / f"{model}.npy"
    if not model.replace("-", "").isalnum() or not file.is_file():
        return None
    with file.open("rb") as stream:
        centres: Vectors = np.load(stream, allow_pickle=False)
    return centres


def has_centres(model: str) -> bool:
    return _centres(model) is not None


def centre_query(vector: Vectors, model: str) -> Vectors:
    """(dims,) unit vector → unit vector without most of what its language's questions share.

    The language is the one whose mean is nearest, which the vector itself tells better than any word list.
    """
    centres = _centres(model)
    if centres is None or centres.shape[1:] != vector.shape:
        return vector
    nearest = centres[int(np.argmax(centres @ vector / np.linalg.norm(centres, axis=1)))]
    rest = vector - STRENGTH * nearest
    unit: Vectors = (rest / np.linalg.norm(rest)).astype(np.float32)
    return unit
