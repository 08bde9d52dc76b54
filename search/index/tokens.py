"""Gateway of chunk_tokens: the sign bits of a chunk's tokens, beside its vector in the cache and gone with it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from search.index.chunks import count_pending
from search.index.driver import Connection, bind_ids
from search.index.vectors import active_model
from search.runtime.protocols import Bits
from search.runtime.tokens import token_vectors

ALIKE = 0.6
"""Two tokens of a chunk whose signs have at least this cosine are kept as one."""

_WITHOUT = (
    "FROM chunks c JOIN files f ON f.id = c.file_id WHERE c.emb_id IS NOT NULL"
    " AND NOT EXISTS (SELECT 1 FROM chunk_tokens t WHERE t.emb_id = c.emb_id AND t.version = ?)"
)


def wanted_version(connection: Connection) -> int | None:
    """Of the bits that the index's model gives; None for a model that gives none."""
    model = active_model(connection)
    constants = token_vectors(model.identity.model) if model is not None else None
    return None if constants is None else constants.version


def count_waiting(connection: Connection, *, tokens: bool) -> int:
    """Chunks that wait for their vector, or with `tokens` only for those of their tokens. Looks at every chunk."""
    pending = count_pending(connection)
    version = wanted_version(connection) if tokens else None
    if version is None:
        return pending
    return pending + int(connection.execute(f"SELECT count(*) {_WITHOUT}", (version,)).get)


def without_tokens(connection: Connection, version: int, limit: int) -> list[tuple[bytes, str, str]]:
    """(hash, heading, text) of chunks that have a vector and wait for their tokens, the newest files first."""
    return list(
        connection.execute(
            f"SELECT c.hash, c.heading, c.text {_WITHOUT} ORDER BY f.mtime_ns DESC, c.file_id, c.ord LIMIT ?",
            (version, limit),
        )
    )


def put_tokens(connection: Connection, emb_id: int, version: int, passages: Sequence[Bits]) -> None:
    """No passages: the model gave none, and is not asked again."""
    bits = distinct(np.concatenate(passages)).tobytes() if passages else b""
    connection.execute(
        "INSERT INTO chunk_tokens(emb_id, version, bits) VALUES(?1, ?2, ?3)"
        " ON CONFLICT(emb_id) DO UPDATE SET version = ?2, bits = ?3",
        (emb_id, version, bits),
    )


def drop_tokens(connection: Connection) -> bool:
    """True when there were any."""
    if connection.execute("SELECT 1 FROM chunk_tokens LIMIT 1").get is None:
        return False
    connection.execute("DELETE FROM chunk_tokens")
    return True


def tokens_by_chunk(connection: Connection, version: int, chunk_ids: Collection[int]) -> dict[int, bytes]:
    """The packed bits of those of these chunks that have any."""
    rows = connection.execute(
        "SELECT c.id, t.bits FROM carray(?) w JOIN chunks c ON c.id = w.value"
        " JOIN chunk_tokens t ON t.emb_id = c.emb_id WHERE t.version = ? AND length(t.bits) > 0",
        (bind_ids(chunk_ids), version),
    )
    return dict(list(rows))


def distinct(rows: Bits) -> Bits:
    """(n, bytes) → those rows that are not nearly the same as one before them."""
    rows = rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])]
    words = np.ascontiguousarray(rows).view(np.uint64)
    most = (1.0 - ALIKE) / 2 * 64 * words.shape[1]
    kept: list[int] = []
    for at in range(len(words)):
        if not kept or np.bitwise_count(words[kept] ^ words[at]).sum(axis=1).min() > most:
            kept.append(at)
    return rows[kept]
