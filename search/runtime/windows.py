"""windows(): cut a token sequence that is longer than a model's context into pieces of nearly equal length."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def windows(tokens: Sequence[int], limit: int) -> list[Sequence[int]]:
    """As few pieces as `limit` tokens each allow, in order, none much shorter than another.

    Equal pieces, because a last piece of three words would say little and still count as a window.
    """
    if limit < 1:
        raise ValueError(f"a window must hold at least one token, not {limit}")
    count = max(1, -(-len(tokens) // limit))
    edges = [index * len(tokens) // count for index in range(count + 1)]
    return [tokens[start:end] for start, end in pairwise(edges)]
