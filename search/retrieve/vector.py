"""The vector leg: one SQL statement over the vectors of ordinary indexes; in large ones bits choose what it looks at.

| vectors | how | why |
|---|---|---|
| up to `BITS_FROM` | the cosine of every row in SQL | about a millisecond, nothing in memory |
| above | sign bits against the mean choose the rows that the same statement compares | 48 bytes a row in memory |

The cosines are sqlite-vec's; without it numpy computes the same ones (docs/decisions/vectors.md has the figures). All
this finds candidates by the chunks' own vectors; `nearest_passages` then scores every candidate, of both legs, by its
nearest passage. The bits in memory follow the file segment by segment (`vec_seg.ver`), never whole.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from search.index.driver import Connection, bind_ids, capabilities
from search.index.facts import IndexFacts
from search.index.schema import SEGMENT
from search.index.vectors import (
    BITS_FROM,
    bits_width,
    mean_vector,
    pack_vector,
    packed_cosines,
    passage_cosines,
    sign_bits,
    unpack_vectors,
)
from search.runtime.protocols import Vectors

COMPARED = BITS_FROM
"""Rows that the bits choose: as many as are compared in an index without them."""
MEMORY_BYTES = 512 * 1024 * 1024
"""For all agents of one process together; the least recently searched index goes first."""


class VectorHit(NamedTuple):
    """`cosine` of the query and the chunk's own vector, -1..1."""

    chunk_id: int
    cosine: float


def vector_leg(
    connection: Connection, facts: IndexFacts, query: Vectors, collections: frozenset[int] | None, limit: int
) -> list[VectorHit]:
    """The `limit` nearest chunks, nearest first. `query` is a unit vector of shape (dims,)."""
    held = _memory.up_to_date(connection, facts) if facts.chunks - facts.pending > BITS_FROM else None
    if held is not None:
        return _nearest(connection, query, "WHERE chunk_id IN carray(:ids)", _by_bits(held, query, collections), limit)
    if collections is not None:
        return _nearest(connection, query, "WHERE collection IN carray(:ids)", collections, limit)
    return _nearest(connection, query, "", (), limit)


def _nearest(connection: Connection, query: Vectors, where: str, ids: Collection[int], limit: int) -> list[VectorHit]:
    """Of the rows of `chunks_vec` that `where` leaves; it is one of the three clauses above."""
    packed = pack_vector(query)
    given = {"query": packed, "ids": bind_ids(ids), "limit": limit}
    if capabilities().vec:
        rows = connection.execute(
            "SELECT chunk_id, vec_distance_cosine(vec_int8(embedding), vec_int8(:query)) AS distance"  # noqa: S608
            f" FROM chunks_vec {where} ORDER BY distance, chunk_id LIMIT :limit",
            given,
        )
        return [VectorHit(chunk_id, 1.0 - distance) for chunk_id, distance in rows]
    vectors = dict(connection.execute(f"SELECT chunk_id, embedding FROM chunks_vec {where}", given))  # noqa: S608
    hits = [VectorHit(*hit) for hit in zip(vectors, packed_cosines(vectors.values(), packed).tolist(), strict=True)]
    return sorted(hits, key=lambda hit: (-hit.cosine, hit.chunk_id))[:limit]


@dataclass(slots=True)
class _Held:
    """One index's bits in memory, by slots: slot = position of the segment * 1024 + id % 1024."""

    generation: int
    mean: Vectors
    positions: dict[int, int] = field(default_factory=dict)
    segments: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    members: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))
    bits: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((0, 0), np.uint64))
    """Transposed, (words, slots), so that one word of every row lies together."""

    def nbytes(self) -> int:
        return self.members.nbytes + self.bits.nbytes

    def chunk_ids(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.segments[slots // SEGMENT] * SEGMENT + slots % SEGMENT


class _Memory:
    def __init__(self) -> None:
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}

    def up_to_date(self, connection: Connection, facts: IndexFacts) -> _Held | None:
        """The bits as of this very generation; None while they are not written."""
        with self._lock:
            loading = self._loading.setdefault(facts.index_id, threading.Lock())
        with loading:
            held = self._held.get(facts.index_id)
            # A newer state than this reader's is fine: a chunk it does not see yet is dropped with its row.
            if held is None or held.generation < facts.generation:
                held = _follow(connection, facts, held)
            with self._lock:
                if held is None:
                    self._held.pop(facts.index_id, None)
                    return None
                self._held[facts.index_id] = held
                self._held.move_to_end(facts.index_id)
                while len(self._held) > 1 and sum(h.nbytes() for h in self._held.values()) > MEMORY_BYTES:
                    gone, _ = self._held.popitem(last=False)
                    self._loading.pop(gone, None)
            return held


_memory = _Memory()


def _follow(connection: Connection, facts: IndexFacts, held: _Held | None) -> _Held | None:
    """A new state from the last one and the segments that changed since, or from the whole file.

    Arrays that another thread may be reading are never changed: a changed state gets copies.
    """
    mean = mean_vector(connection)
    if mean is None:
        return None
    new = _Held(facts.generation, mean)
    since = -1
    if held is not None and np.array_equal(held.mean, mean):
        since = held.generation
        new.positions = dict(held.positions)
    rows = list(connection.execute("SELECT seg, coll, bits FROM vec_seg WHERE ver > ? ORDER BY seg", (since,)))
    for seg, _, _ in rows:
        new.positions.setdefault(seg, len(new.positions))
    slots = len(new.positions) * SEGMENT
    width = bits_width(len(mean))
    new.segments = np.fromiter(new.positions.keys(), np.int64, len(new.positions))
    new.members = np.zeros(slots, np.uint16)
    new.bits = np.zeros((width // 8, slots), np.uint64)
    if since >= 0 and held is not None:
        size = len(held.members)
        new.members[:size] = held.members
        new.bits[:, :size] = held.bits
    for seg, members, bits in rows:
        if bits is None:
            return None
        start = new.positions[seg] * SEGMENT
        new.members[start : start + SEGMENT] = np.frombuffer(members, "<u2")
        new.bits[:, start : start + SEGMENT] = np.frombuffer(bits, np.uint64).reshape(SEGMENT, width // 8).T
    return new


def _by_bits(held: _Held, query: Vectors, collections: frozenset[int] | None) -> NDArray[np.int64]:
    """Ids of the chunks whose bits differ least from the query's."""
    allowed = held.members > 0 if collections is None else np.isin(held.members, sorted(collections))
    asked = sign_bits(query, held.mean).view(np.uint64)
    distance = np.zeros(held.bits.shape[1], np.uint16)
    for row, word in zip(held.bits, asked, strict=True):
        distance += np.bitwise_count(row ^ word)
    distance[~allowed] = np.iinfo(np.uint16).max
    count = min(int(allowed.sum()), COMPARED)
    return held.chunk_ids(np.argpartition(distance, count - 1)[:count] if count else np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True)
class NearestPassages:
    """How near the best passage of each embedded candidate comes: `cosines` by chunk id."""

    cosines: dict[int, float] = field(default_factory=dict)
    _passages: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    _spans: dict[int, tuple[int, int]] = field(default_factory=dict)

    def ordinal(self, chunk_id: int) -> int | None:
        """Which of the chunk's passages it is; None for a chunk that has no vectors."""
        span = self._spans.get(chunk_id)
        return None if span is None else int(np.argmax(self._passages[span[0] : span[1]]))

    def of(self, chunk_id: int) -> NDArray[np.float32]:
        """The cosine of each of the chunk's passages, in order; empty for a chunk that has no vectors."""
        start, end = self._spans.get(chunk_id, (0, 0))
        return self._passages[start:end]


def nearest_passages(
    connection: Connection, facts: IndexFacts, query: Vectors, chunk_ids: Collection[int]
) -> NearestPassages:
    assert facts.model is not None
    width = facts.model.identity.dims + 4
    rows = connection.execute(
        "SELECT c.id, e.parts FROM carray(?) w JOIN chunks c ON c.id = w.value"
        " JOIN embedding_cache e ON e.id = c.emb_id",
        (bind_ids(chunk_ids),),
    )
    packed = dict(rows)
    if not packed:
        return NearestPassages()
    ends = np.cumsum([len(parts) // width for parts in packed.values()])
    starts = np.concatenate(([0], ends[:-1]))
    passages = passage_cosines(b"".join(packed.values()), query)
    best = np.maximum.reduceat(passages, starts)
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return NearestPassages(
        dict(zip(packed, best.tolist(), strict=True)), passages, dict(zip(packed, spans, strict=True))
    )


def vectors_by_chunk(connection: Connection, chunk_ids: Collection[int]) -> dict[int, Vectors]:
    """The chunks' own vectors, of unit length."""
    rows = dict(
        connection.execute(
            "SELECT chunk_id, embedding FROM chunks_vec WHERE chunk_id IN carray(?)", (bind_ids(chunk_ids),)
        )
    )
    return dict(zip(rows, unpack_vectors(rows.values()), strict=True))
