"""Gateway of everything that holds vectors: models, embedding_cache, chunks_vec and vec_seg.

A chunk's passages are kept once, as int8 with a scale each, and the chunk's own vector, their mean, as int8.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from search.index.driver import Connection, bind_ids
from search.index.schema import SEGMENT, WORDS_ONLY, get_meta, set_meta
from search.spec import EmbeddingIdentity

Vector = NDArray[np.float32]
Bits = NDArray[np.uint8]

BITS_FROM = 2_000
"""Vectors above which bits are kept beside them: comparing every row costs more there (docs/decisions/vectors.md)."""
_SAMPLE = 20_000


@dataclass(frozen=True, slots=True)
class ActiveModel:
    """The one model whose vectors this index searches."""

    id: int
    identity: EmbeddingIdentity


def active_model(connection: Connection) -> ActiveModel | None:
    row = connection.execute(
        "SELECT id, provider, model, dims, fingerprint FROM models"
        " WHERE id = (SELECT value FROM meta WHERE key = 'active_model')"
    ).fetchone()
    return ActiveModel(row[0], EmbeddingIdentity(*row[1:])) if row else None


def activate_model(connection: Connection, identity: EmbeddingIdentity) -> ActiveModel:
    """Make `identity` the index's model. Only for an index whose chunks hold no vectors of another one."""
    connection.execute(
        "INSERT INTO models(fingerprint, provider, model, dims) VALUES(?, ?, ?, ?) ON CONFLICT(fingerprint) DO NOTHING",
        (identity.fingerprint, identity.provider, identity.model, identity.dims),
    )
    model_id = int(connection.execute("SELECT id FROM models WHERE fingerprint = ?", (identity.fingerprint,)).get)
    set_meta(connection, "active_model", model_id)
    set_meta(connection, "vec_mean", None)
    connection.execute("UPDATE chunks SET refused = '' WHERE refused NOT IN ('', ?)", (WORDS_ONLY,))
    return ActiveModel(model_id, identity)


def agree_on_model(connection: Connection, wanted: EmbeddingIdentity) -> ActiveModel:
    """The index's model, which is `wanted` from now on when no chunk holds a vector of another one yet."""
    model = active_model(connection)
    if model is not None and (model.identity.fingerprint == wanted.fingerprint or has_vectors(connection)):
        return model
    return activate_model(connection, wanted)


def cached_ids(connection: Connection, model_id: int, hashes: Iterable[bytes]) -> dict[bytes, int]:
    """Which of these texts already have a vector of this model."""
    found: dict[bytes, int] = {}
    for digest in hashes:
        row = connection.execute("SELECT id FROM embedding_cache WHERE model = ? AND hash = ?", (model_id, digest)).get
        if row is not None:
            found[digest] = row
    return found


def vector_of(connection: Connection, emb_id: int) -> Vector:
    """The vector of a chunk whose passages are in the cache."""
    parts, dims = connection.execute(
        "SELECT e.parts, m.dims FROM embedding_cache e JOIN models m ON m.id = e.model WHERE e.id = ?", (emb_id,)
    ).get
    return chunk_vector(parts, dims)


def chunk_vector(packed: bytes, dims: int) -> Vector:
    """`pack_passages` of a chunk's passages → its own vector, shape (dims,): their mean, of unit length."""
    rows, scales = _unpacked(packed, dims)
    mean = scales @ rows.astype(np.float32)
    unit: Vector = (mean / np.linalg.norm(mean)).astype(np.float32)
    return unit


def pack_passages(passages: Vector) -> bytes:
    """(n, dims) → per row a float32 scale and dims int8 values; loses less than 0.005 of a cosine."""
    scales = np.abs(passages).max(axis=1).astype("<f4") / 127
    rounded = np.rint(passages / scales[:, None]).astype(np.int8)
    return np.hstack([scales[:, None].view(np.int8), rounded]).tobytes()


def passage_cosines(packed: bytes, query: Vector) -> Vector:
    """`pack_passages` of n passages and a unit query (dims,) → their cosines, shape (n,)."""
    rows, scales = _unpacked(packed, query.shape[0])
    cosines: Vector = (rows.astype(np.float32) @ query) * scales
    return cosines


def _unpacked(packed: bytes, dims: int) -> tuple[NDArray[np.int8], Vector]:
    rows = np.frombuffer(packed, np.int8).reshape(-1, dims + 4)
    return rows[:, 4:], np.ascontiguousarray(rows[:, :4]).view("<f4")[:, 0]


def pack_vector(vector: Vector) -> bytes:
    """(dims,) → int8: its direction, which is all that a cosine asks for."""
    return bytes(np.rint(vector * (127 / np.abs(vector).max())).astype(np.int8).tobytes())


def unpack_vectors(packed: Collection[bytes]) -> Vector:
    """`pack_vector` of n vectors → unit vectors, shape (n, dims)."""
    if not packed:
        return np.zeros((0, 0), np.float32)
    rows = np.frombuffer(b"".join(packed), np.int8).reshape(len(packed), -1).astype(np.float32)
    unit: Vector = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def packed_cosines(packed: Collection[bytes], query: bytes) -> NDArray[np.float64]:
    """Of n packed vectors to a packed query, shape (n,): the very numbers of sqlite-vec, which adds up integers too."""
    asked = np.frombuffer(query, np.int8).astype(np.float32)
    rows = np.frombuffer(b"".join(packed), np.int8).reshape(-1, len(asked)).astype(np.float32)
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows), dtype=np.float64) * np.sqrt(float(asked @ asked))
    distances: NDArray[np.float32] = (1 - (rows @ asked) / lengths).astype(np.float32)
    return 1.0 - distances.astype(np.float64)


def store_vectors(connection: Connection, model_id: int, digest: bytes, passages: Vector) -> tuple[int, Vector]:
    """Put a chunk's passages into the cache; answers the row's id and the chunk's own vector.

    Zero and non-finite vectors must not get here: nothing is near to or far from them.
    """
    packed = pack_passages(passages)
    emb_id = connection.execute(
        "INSERT INTO embedding_cache(model, hash, parts, used) VALUES(?, ?, ?, ?)"
        " ON CONFLICT(model, hash) DO UPDATE SET parts = excluded.parts, used = excluded.used RETURNING id",
        (model_id, digest, packed, time.time()),
    ).get
    return int(emb_id), chunk_vector(packed, passages.shape[1])


def bits_width(dims: int) -> int:
    """Bytes of one row of bits: whole 64-bit words."""
    return -(-dims // 64) * 8


def sign_bits(vectors: Vector, mean: Vector) -> Bits:
    """(…, dims) → (…, bits_width): which components lie above the mean. Ranks like the cosine, at 1/32 of the size."""
    packed = np.packbits(vectors > mean, axis=-1)
    missing = bits_width(vectors.shape[-1]) - packed.shape[-1]
    return np.pad(packed, [(0, 0)] * (vectors.ndim - 1) + [(0, missing)])


@dataclass(slots=True)
class VectorChanges:
    """What one transaction does to the search copies of the vectors; `apply` writes it, segment by segment."""

    put: dict[int, tuple[int, Vector]] = field(default_factory=dict)
    """Chunk id → (collection id, vector)."""
    drop: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    """Cached vectors that chunks referred to until now."""

    def add(self, chunk_id: int, collection: int, vector: Vector) -> None:
        self.put[chunk_id] = (collection, vector)

    def remove(self, chunk_id: int, emb_id: int) -> None:
        self.put.pop(chunk_id, None)
        self.drop.add(chunk_id)
        self.left.add(emb_id)

    def apply(self, connection: Connection, version: int) -> None:
        connection.execute("DELETE FROM chunks_vec WHERE chunk_id IN carray(?)", (bind_ids(self.drop),))
        connection.executemany(
            "INSERT INTO chunks_vec(chunk_id, collection, embedding) VALUES(?, ?, ?)",
            ((chunk_id, collection, pack_vector(vector)) for chunk_id, (collection, vector) in self.put.items()),
        )
        mean = mean_vector(connection)
        segments: dict[int, list[int]] = {}
        for chunk_id in self.drop | self.put.keys():
            segments.setdefault(chunk_id // SEGMENT, []).append(chunk_id)
        for number, chunk_ids in segments.items():
            self._write_segment(connection, number, chunk_ids, mean, version)

        if self.left:
            # The oldest go first one day, and a vector is as old as its last day in the index.
            connection.execute(
                "UPDATE embedding_cache SET used = ? WHERE id IN carray(?)"
                " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.emb_id = embedding_cache.id)",
                (time.time(), bind_ids(self.left)),
            )

    def _write_segment(
        self, connection: Connection, number: int, chunk_ids: list[int], mean: Vector | None, version: int
    ) -> None:
        row = connection.execute("SELECT coll, bits FROM vec_seg WHERE seg = ?", (number,)).fetchone()
        members = np.zeros(SEGMENT, "<u2") if row is None else np.frombuffer(row[0], "<u2").copy()
        bits: Bits | None = None
        if mean is not None:
            width = bits_width(mean.shape[0])
            bits = np.zeros((SEGMENT, width), np.uint8)
            if row is not None and row[1] is not None:
                bits = np.frombuffer(row[1], np.uint8).reshape(SEGMENT, width).copy()
        for chunk_id in chunk_ids:
            slot = chunk_id % SEGMENT
            if chunk_id in self.put:
                members[slot], vector = self.put[chunk_id]
                if bits is not None and mean is not None:
                    bits[slot] = sign_bits(vector, mean)
            else:
                members[slot] = 0
        connection.execute(
            "INSERT INTO vec_seg(seg, ver, coll, bits) VALUES(?1, ?2, ?3, ?4)"
            " ON CONFLICT(seg) DO UPDATE SET ver = ?2, coll = ?3, bits = ?4",
            (number, version, members.tobytes(), None if bits is None else bits.tobytes()),
        )


def mean_vector(connection: Connection) -> Vector | None:
    """What the bits are centred on; None while none are kept."""
    blob = get_meta(connection, "vec_mean")
    return np.frombuffer(blob, "<f4") if isinstance(blob, bytes) else None


def centre_bits(connection: Connection, version: int) -> None:
    """Fix the mean of the vectors and write the bits of every segment against it."""
    model = active_model(connection)
    if model is None:
        return
    dims = model.identity.dims
    total, count = np.zeros(dims), 0
    for _, _, vectors in _segments(connection):
        total += vectors.sum(axis=0)
        count += len(vectors)
        if count >= _SAMPLE:
            break
    if not count:
        return
    mean = (total / count).astype("<f4")
    set_meta(connection, "vec_mean", mean.tobytes())
    set_meta(connection, "vec_mean_count", count_vectors(connection))
    for number, chunk_ids, vectors in _segments(connection):
        bits = np.zeros((SEGMENT, bits_width(dims)), np.uint8)
        bits[chunk_ids % SEGMENT] = sign_bits(vectors, mean)
        connection.execute("UPDATE vec_seg SET bits = ?, ver = ? WHERE seg = ?", (bits.tobytes(), version, number))


def _segments(connection: Connection) -> Iterator[tuple[int, NDArray[np.int64], Vector]]:
    """Number, chunk ids and vectors of each segment that has any; never more than one of them in memory."""
    for number in [row[0] for row in connection.execute("SELECT seg FROM vec_seg ORDER BY seg")]:
        rows = dict(
            connection.execute(
                "SELECT chunk_id, embedding FROM chunks_vec WHERE chunk_id >= ? AND chunk_id < ?",
                (number * SEGMENT, (number + 1) * SEGMENT),
            )
        )
        if rows:
            yield number, np.fromiter(rows, np.int64, len(rows)), unpack_vectors(rows.values())


def link_cached(connection: Connection, model_id: int, changes: VectorChanges) -> int:
    """Give waiting chunks the vectors that the cache holds for their texts; answers how many got theirs."""
    rows = connection.execute(
        "SELECT c.id, e.id, e.parts, m.dims, f.collection FROM chunks c JOIN files f ON f.id = c.file_id"
        " JOIN models m ON m.id = ? JOIN embedding_cache e ON e.model = m.id AND e.hash = c.hash"
        " WHERE c.emb_id IS NULL AND c.refused <> ?",
        (model_id, WORDS_ONLY),
    )
    found = [(chunk_id, emb_id, chunk_vector(parts, dims), at) for chunk_id, emb_id, parts, dims, at in rows]
    for chunk_id, emb_id, vector, collection in found:
        connection.execute("UPDATE chunks SET emb_id = ?, refused = '' WHERE id = ?", (emb_id, chunk_id))
        changes.add(chunk_id, collection, vector)
    return len(found)


def has_vectors(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM chunks WHERE emb_id IS NOT NULL LIMIT 1").get is not None


def count_vectors(connection: Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM chunks WHERE emb_id IS NOT NULL").get)


def evict(connection: Connection, keep: int) -> int:
    """Drop the longest unused vectors that no chunk refers to, beyond `keep` of them."""
    connection.execute(
        "DELETE FROM embedding_cache WHERE id IN (SELECT id FROM embedding_cache e"
        " WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.emb_id = e.id) ORDER BY used DESC LIMIT -1 OFFSET ?)",
        (keep,),
    )
    return int(connection.changes())
