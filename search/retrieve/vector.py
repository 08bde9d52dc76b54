"""The vector leg: exact cosine in memory for ordinary indexes, centred bits and exact rescoring for large ones.

| vectors | how | why |
|---|---|---|
| up to 20,000 | one float32 matrix, one dot product | exact and below 5 ms |
| above | sign bits against the mean; the R nearest are rescored exactly from the file | 48 bytes a row |
| above, bits not written yet | sqlite-vec in SQL | no memory, slower |

These find candidates by the chunks' own vectors; `nearest_passages` then scores every candidate, of both legs, by its
nearest passage. What is in memory follows the file segment by segment (`vec_seg.ver`), never whole.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from search.index.driver import Connection, bind_ids, capabilities
from search.index.facts import IndexFacts
from search.index.schema import SEGMENT, get_meta, has_table
from search.index.vectors import bits_width, mean_vector, passage_cosines, sign_bits
from search.runtime.protocols import Vectors

EXACT_UP_TO = 20_000
MEMORY_BYTES = 512 * 1024 * 1024
"""For all agents of one process together; the least recently searched index goes first."""

Engine = Literal["exact", "bits", "sqlite-vec", "none"]


class VectorHit(NamedTuple):
    """`cosine` of the query and the chunk's own vector, -1..1."""

    chunk_id: int
    cosine: float


def vector_leg(
    connection: Connection, facts: IndexFacts, query: Vectors, collections: frozenset[int] | None, limit: int
) -> tuple[list[VectorHit], Engine]:
    """The `limit` nearest chunks and how they were found. `query` is a unit vector of shape (dims,)."""
    held = _memory.up_to_date(connection, facts)
    if held is None:
        return _in_sql(connection, facts, query, collections, limit)
    allowed = held.members > 0 if collections is None else np.isin(held.members, sorted(collections))
    if held.matrix is not None:
        return _exact(held, query, allowed, limit), "exact"
    return _by_bits(connection, held, query, allowed, limit), "bits"


@dataclass(slots=True)
class _Held:
    """One index's vectors in memory, by slots: slot = position of the segment * 1024 + id % 1024."""

    generation: int
    dims: int
    mean: Vectors | None
    positions: dict[int, int] = field(default_factory=dict)
    segments: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    members: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))
    matrix: Vectors | None = None
    bits: NDArray[np.uint64] | None = None
    """Transposed, (words, slots), so that one word of every row lies together."""

    def nbytes(self) -> int:
        return self.members.nbytes + sum(a.nbytes for a in (self.matrix, self.bits) if a is not None)

    def chunk_ids(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.segments[slots // SEGMENT] * SEGMENT + slots % SEGMENT


class _Memory:
    def __init__(self) -> None:
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}

    def up_to_date(self, connection: Connection, facts: IndexFacts) -> _Held | None:
        """The vectors as of this very generation; None when they are to be searched in SQL."""
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
    assert facts.model is not None
    dims = facts.model.identity.dims
    exact = facts.chunks - facts.pending <= EXACT_UP_TO
    mean = mean_vector(connection)
    if not exact and mean is None:
        return None
    since = -1
    usable = (
        held is not None
        and held.dims == dims
        and (held.matrix is not None) == exact
        and (exact or (held.mean is not None and mean is not None and np.array_equal(held.mean, mean)))
    )
    new = _Held(facts.generation, dims, mean)
    if usable and held is not None:
        since = held.generation
        new.positions = dict(held.positions)
    rows = list(connection.execute(
        "SELECT seg, coll, bits FROM vec_seg WHERE ver > ? ORDER BY seg" if since >= 0 else
        "SELECT seg, coll, bits FROM vec_seg WHERE ? < 0 ORDER BY seg",
        (since,),
    ))  # fmt: skip
    for seg, _, _ in rows:
        new.positions.setdefault(seg, len(new.positions))
    slots = len(new.positions) * SEGMENT
    words = bits_width(dims) // 8
    new.segments = np.fromiter(new.positions.keys(), np.int64, len(new.positions))
    new.members = np.zeros(slots, np.uint16)
    if exact:
        new.matrix = np.zeros((slots, dims), np.float32)
    else:
        new.bits = np.zeros((words, slots), np.uint64)
    if usable and held is not None:
        size = len(held.members)
        new.members[:size] = held.members
        if new.matrix is not None and held.matrix is not None:
            new.matrix[:size] = held.matrix
        if new.bits is not None and held.bits is not None:
            new.bits[:, :size] = held.bits
    for seg, members, bits in rows:
        start = new.positions[seg] * SEGMENT
        new.members[start : start + SEGMENT] = np.frombuffer(members, "<u2")
        if new.matrix is not None:
            _load_rows(connection, seg, new.matrix[start : start + SEGMENT])
        elif new.bits is not None:
            if bits is None:
                return None
            block = np.frombuffer(bits, np.uint8).reshape(SEGMENT, bits_width(dims))
            new.bits[:, start : start + SEGMENT] = np.ascontiguousarray(block).view(np.uint64).T
    return new


def _load_rows(connection: Connection, seg: int, into: Vectors) -> None:
    rows = connection.execute(
        "SELECT c.id, e.vec FROM chunks c JOIN embedding_cache e ON e.id = c.emb_id WHERE c.id >= ? AND c.id < ?",
        (seg * SEGMENT, (seg + 1) * SEGMENT),
    )
    for chunk_id, blob in rows:
        into[chunk_id % SEGMENT] = np.frombuffer(blob, "<f4")


def _best(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Indexes of the `limit` highest scores, in no order."""
    if scores.shape[0] <= limit:
        return np.arange(scores.shape[0])
    return np.argpartition(scores, -limit)[-limit:]


def _sorted_hits(chunk_ids: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> list[VectorHit]:
    order = np.lexsort((chunk_ids, -scores))[:limit]
    return [VectorHit(int(chunk_ids[i]), float(scores[i])) for i in order]


def _exact(held: _Held, query: Vectors, allowed: NDArray[np.bool_], limit: int) -> list[VectorHit]:
    assert held.matrix is not None
    scores = held.matrix @ query
    scores[~allowed] = -2.0
    slots = _best(scores, limit)
    slots = slots[scores[slots] > -2.0]
    return _sorted_hits(held.chunk_ids(slots), scores[slots], limit)


def _by_bits(
    connection: Connection, held: _Held, query: Vectors, allowed: NDArray[np.bool_], limit: int
) -> list[VectorHit]:
    assert held.bits is not None and held.mean is not None
    asked = sign_bits(query, held.mean).view(np.uint64)
    distance = np.zeros(held.bits.shape[1], np.uint16)
    for row, word in zip(held.bits, asked, strict=True):
        distance += np.bitwise_count(row ^ word)
    distance[~allowed] = np.iinfo(np.uint16).max
    rows = int(allowed.sum())
    candidates = min(rows, max(400, limit, min(2_000, rows // 50)))
    if not candidates:
        return []
    slots = np.argpartition(distance, candidates - 1)[:candidates]
    chunk_ids = held.chunk_ids(slots)
    found = vectors_by_chunk(connection, chunk_ids.tolist())
    ids = np.fromiter(found.keys(), np.int64, len(found))
    scores = np.stack(list(found.values())) @ query if found else np.zeros(0, np.float32)
    return _sorted_hits(ids, scores.astype(np.float32), limit)


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


def vectors_by_chunk(connection: Connection, chunk_ids: list[int]) -> dict[int, Vectors]:
    """The canonical vectors of these chunks, from the file."""
    rows = connection.execute(
        "SELECT c.id, e.vec FROM carray(?) w JOIN chunks c ON c.id = w.value JOIN embedding_cache e ON e.id = c.emb_id",
        (bind_ids(chunk_ids),),
    )
    return {chunk_id: np.frombuffer(blob, "<f4") for chunk_id, blob in rows}


def _in_sql(
    connection: Connection, facts: IndexFacts, query: Vectors, collections: frozenset[int] | None, limit: int
) -> tuple[list[VectorHit], Engine]:
    if not capabilities().vec or not has_table(connection, "chunks_vec") or get_meta(connection, "vec_table_stale"):
        return [], "none"
    groups = [entry[0] for entry in facts.collections.values() if collections is None or entry[0] in collections]
    hits: list[VectorHit] = []
    for group in groups:
        rows = connection.execute(
            "SELECT chunk_id, distance FROM chunks_vec WHERE embedding MATCH ? AND k = ? AND collection = ?",
            (query.astype("<f4").tobytes(), limit, group),
        )
        hits += [VectorHit(row[0], 1.0 - row[1]) for row in rows]
    hits.sort(key=lambda hit: (-hit.cosine, hit.chunk_id))
    return hits[:limit], "sqlite-vec"
