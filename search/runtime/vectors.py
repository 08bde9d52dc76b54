"""unit(), is_usable(): what a vector must be before it is stored or compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from search.errors import EmbedderUnavailable
from search.runtime.protocols import Vectors
from search.sentences import sentence


def unit(vector: NDArray[np.floating]) -> Vectors:
    """Scale to length 1 as float32. A zero or non-finite vector has no direction: `EmbedderUnavailable`."""
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0.0:
        raise EmbedderUnavailable(
            sentence("the embedding model returned a vector without direction"),
            hint=sentence("The model file may be damaged: delete it from the models folder; it is made again."),
        )
    return (vector / length).astype(np.float32)


def is_usable(vectors: Vectors, *, rows: int, dims: int) -> bool:
    """Whether `vectors` has the shape (rows, dims) and every row is finite and not zero."""
    return (
        vectors.shape == (rows, dims)
        and bool(np.isfinite(vectors).all())
        and bool((np.abs(vectors).max(axis=1, initial=0.0) > 0.0).all())
    )
