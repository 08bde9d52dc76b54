"""Numbers for the trained head: what a reading shows, each pair of it, its n-grams, and the embedding's direction."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from search.language.scripts import SCRIPTS
from search.recall.intent.language import CUES
from search.recall.intent.reading import SHAPES, Reading
from search.runtime.protocols import Vectors

Numbers = NDArray[np.float32]

MARKS = (*CUES, *SHAPES, *SCRIPTS)
"""What can be present in a reading, by position."""

BUCKETS = 1 << 14
"""N-grams share this many weights by their checksum."""

_FIRST, _SECOND = np.triu_indices(len(MARKS), 1)
SURFACE = len(MARKS) + len(_FIRST) + BUCKETS
_MARK_SCALE, _PAIR_SCALE, _GRAM_SCALE = 0.32, 0.17, 4.5
"""How far each kind of number may move the sum under the same regularisation."""

_LONGEST_GRAM, _LONGEST_DENSE_GRAM = 5, 3
_DENSE_SCRIPTS_FROM = "\u2e80"


def surface(reading: Reading) -> Numbers:
    """Marks, their pairs ("last week" with "we discussed" says more than the two apart) and n-grams."""
    present = reading.cues | reading.shapes | reading.scripts
    marks = np.fromiter((mark in present for mark in MARKS), dtype=np.float32, count=len(MARKS))
    numbers = np.zeros(BUCKETS, dtype=np.float32)
    buckets = list(grams(reading.text))
    numbers[buckets] = _GRAM_SCALE / np.sqrt(max(len(buckets), 1))
    pairs = _PAIR_SCALE * marks[_FIRST] * marks[_SECOND]
    return np.concatenate((_MARK_SCALE * marks, pairs, numbers), dtype=np.float32)


def direction(vectors: Vectors, mean: Numbers) -> Numbers:
    """Embeddings as unit vectors from the mean: all vectors of the model lie close together."""
    away = vectors - mean
    return np.asarray(away / np.maximum(np.linalg.norm(away, axis=-1, keepdims=True), 1e-9), dtype=np.float32)


def likeness(directions: Numbers, landmarks: Numbers, sharpness: float) -> Numbers:
    """How near each direction is to each landmark sentence: 1 is the same; the sharper, the fewer others count."""
    return np.asarray(np.exp(sharpness * (directions @ landmarks.T) - sharpness), dtype=np.float32)


def grams(text: str) -> set[int]:
    """Buckets of the runs of 2 to 5 characters; in dense scripts, where one character says more, of 1 to 3."""
    padded = f" {text} "
    if padded.isascii():  # the same, three times as fast
        data = padded.encode()
        sizes = range(2, _LONGEST_GRAM + 1)
        return {zlib.crc32(data[at : at + size]) % BUCKETS for size in sizes for at in range(len(data) - size + 1)}
    found = set()
    for at in range(len(padded)):
        for size in range(1, _LONGEST_GRAM + 1):
            gram = padded[at : at + size]
            dense = max(gram) >= _DENSE_SCRIPTS_FROM
            if len(gram) < size or (dense and size > _LONGEST_DENSE_GRAM):
                break
            if dense or size > 1:
                found.add(zlib.crc32(gram.encode("utf-8", "replace")) % BUCKETS)
    return found
