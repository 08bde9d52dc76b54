"""Which lines are worth comparing: those that share rare words, and those whose passages are near to each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from search.review.lines import Lines, Vectors
from search.review.words import Said

NEAR = 0.45
"""Least cosine, around the mean, of two passages that may be about one subject."""
NEIGHBOURS = 6
"""Of each passage."""
MOST_SHARING = 40
"""A word of more lines than this names no subject."""
_BLOCK = 256

Pair = tuple[int, int]


def sharing_words(said: Sequence[Said]) -> set[Pair]:
    """Lines that have two rare words in common. Bounded: a word brings no more than MOST_SHARING² / 2 pairs."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(said):
        for word in one.words:
            places[word].append(place)
    shared: dict[Pair, int] = defaultdict(int)
    for lines in places.values():
        if 2 <= len(lines) <= MOST_SHARING:
            for pair in combinations(lines, 2):
                shared[pair] += 1
    return {pair for pair, words in shared.items() if words >= 2}


def near_passages(found: Lines, pause: Callable[[int, int], None]) -> set[Pair]:
    """Lines of passages that are near. `pause` is told after each block how many of how many passages are done."""
    of_passage: dict[int, list[int]] = defaultdict(list)
    for place, line in enumerate(found.lines):
        if line.passage >= 0:
            of_passage[line.passage].append(place)
    total = len(found.vectors)
    pairs: set[Pair] = set()
    for start in range(0, total, _BLOCK):
        for one, other in _nearest(found.vectors, start):
            pairs.update(
                (min(a, b), max(a, b)) for a in of_passage.get(one, ()) for b in of_passage.get(other, ()) if a != b
            )
        pause(min(total, start + _BLOCK), total)
    return pairs


def _nearest(vectors: Vectors, start: int) -> list[Pair]:
    """For a block of passages their nearest ones of all, itself included: its lines are compared with each other."""
    cosines = vectors[start : start + _BLOCK] @ vectors.T
    count = min(NEIGHBOURS + 1, cosines.shape[1])
    best = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
    rows = np.repeat(np.arange(best.shape[0]), count)
    columns = best.ravel()
    near = cosines[rows, columns] >= NEAR
    return [(start + int(row), int(column)) for row, column in zip(rows[near], columns[near], strict=True)]
