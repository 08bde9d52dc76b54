"""borrow_vectors(): take vectors of equal texts out of other agents' indexes, where both owners allow it.

Only what this index waits for is asked for, by the digest of its own text; no text is read there, nothing is written.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from search.errors import IndexUnavailable
from search.index import driver
from search.index.driver import Connection, bind_digests, transaction
from search.index.locks import writer_lock
from search.index.pool import reading
from search.spec import IndexSpec, PackedText

log = logging.getLogger(__name__)

ROWS = 1_000
"""Vectors looked up and written at once: a few MB in memory, and a writer lock held for milliseconds."""
LOCK_TIMEOUT = 60.0


LookUp = Callable[[str, Sequence[bytes]], Sequence[PackedText]]


def borrow_vectors(
    spec: IndexSpec, connection: Connection, model_id: int, fingerprint: str, *, lock_timeout: float = LOCK_TIMEOUT
) -> int:
    """Put what the sources of `spec` hold for waiting chunks into the cache; answers the number of texts found.

    Only vectors of the same fingerprint. A source that is missing, busy or damaged is passed over: the model is there.
    """
    waiting = _waiting(connection) if spec.vector_sources or spec.common else set()
    sources: list[LookUp] = [partial(_look_up, source) for source in spec.vector_sources]
    taken = 0
    for look_up in [*sources, *([spec.common.fetch] if spec.common else [])]:
        digests = list(waiting)
        for start in range(0, len(digests), ROWS):
            try:
                found = look_up(fingerprint, digests[start : start + ROWS])
            except (IndexUnavailable, driver.DatabaseError, OSError) as error:
                log.debug("no vectors from another index", extra={"reason": str(error)})
                break
            if found:
                with writer_lock(spec.path, timeout=lock_timeout), transaction(connection):
                    _keep(connection, model_id, found)
            waiting.difference_update(row.hash for row in found)
            taken += len(found)
    return taken


def known_digests(path: Path) -> set[bytes]:
    """Of all texts in the index, and of those that it keeps vectors of. Raises `IndexUnavailable`."""
    with reading(path) as connection:
        return {row[0] for row in connection.execute("SELECT hash FROM chunks UNION SELECT hash FROM embedding_cache")}


def cached_digests(connection: Connection, fingerprint: str) -> list[bytes]:
    """Of the texts in this index that have vectors of this embedding set-up."""
    rows = connection.execute(
        "SELECT DISTINCT c.hash FROM chunks c JOIN embedding_cache e ON e.id = c.emb_id"
        " WHERE e.model = (SELECT id FROM models WHERE fingerprint = ?)",
        (fingerprint,),
    )
    return [row[0] for row in rows]


def _waiting(connection: Connection) -> set[bytes]:
    return {row[0] for row in connection.execute("SELECT hash FROM chunks WHERE emb_id IS NULL AND refused = ''")}


def _look_up(source: Path, fingerprint: str, digests: Sequence[bytes]) -> list[PackedText]:
    with reading(source) as other:
        return packed_texts(other, fingerprint, digests)


def packed_texts(connection: Connection, fingerprint: str, digests: Sequence[bytes]) -> list[PackedText]:
    """What this index holds of these texts."""
    rows = connection.execute(
        "SELECT e.hash, e.parts, t.version, t.bits FROM embedding_cache e"
        " LEFT JOIN chunk_tokens t ON t.emb_id = e.id"
        " WHERE e.model = (SELECT id FROM models WHERE fingerprint = ?) AND e.hash IN carray(?)",
        (fingerprint, bind_digests(digests)),
    )
    return [PackedText(*row) for row in rows]


def _keep(connection: Connection, model_id: int, found: Sequence[PackedText]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO embedding_cache(model, hash, parts, used) VALUES(?, ?, ?, ?)",
        ((model_id, row.hash, row.parts, time.time()) for row in found),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO chunk_tokens(emb_id, version, bits)"
        " SELECT id, ?3, ?4 FROM embedding_cache WHERE model = ?1 AND hash = ?2",
        ((model_id, row.hash, row.version, row.bits) for row in found if row.version is not None),
    )
