"""What can be asked of an index without searching it: its status, its files, what a docid stands for."""

from __future__ import annotations

import json

from search.errors import IndexUnavailable
from search.index.chunks import count_chunks, count_pending
from search.index.driver import Connection, capabilities
from search.index.pool import reading
from search.index.report import CollectionStatus, FileEntry, IndexStatus
from search.index.schema import generation, has_table
from search.index.vectors import active_model
from search.outcome import Degradation, Problem
from search.sentences import sentence, unpacked
from search.spec import EmbeddingIdentity, IndexSpec

DOCID_CHARS = 6


def docid(file_hash: bytes) -> str:
    """`#abc123`: the first six hex digits of the file's SHA-256."""
    return "#" + file_hash.hex()[:DOCID_CHARS]


def index_status(spec: IndexSpec, identity: EmbeddingIdentity | None) -> IndexStatus:
    """Counts, capabilities and problems. A missing index is a status (`exists` False), never an error."""
    try:
        with reading(spec.path) as connection:
            return _status(spec, connection, identity)
    except IndexUnavailable as error:
        return IndexStatus(
            0, 0, 0, 0, "", _capabilities(fts=capabilities().fts5),
            tuple(CollectionStatus(collection.name, 0, 0) for collection in spec.collections), 0,
            (Degradation("no_index", error.message),), exists=False,
        )  # fmt: skip


def _capabilities(*, fts: bool) -> dict[str, bool | str]:
    vec = capabilities().vec
    return {"fts": fts, "vectors": True, "vector_engine": "numpy+sqlite-vec" if vec else "numpy"}


def _status(spec: IndexSpec, connection: Connection, identity: EmbeddingIdentity | None) -> IndexStatus:
    total, embedded = count_chunks(connection)
    pending = count_pending(connection)
    model = active_model(connection)
    fts = has_table(connection, "chunks_fts")
    degraded = []
    if pending:
        degraded.append(
            Degradation(
                "pending_embeddings",
                sentence("{pending} of {total} chunks wait for their vectors", pending=pending, total=total),
            )
        )
    if not fts:
        degraded.append(
            Degradation("no_keyword", sentence("the keyword index is missing; the next update makes it again"))
        )
    if identity is not None and model is not None and identity.fingerprint != model.identity.fingerprint:
        degraded.append(
            Degradation(
                "stale_vectors",
                sentence(
                    "the vectors are of {model}, configured is {model_2}",
                    model=model.identity.model,
                    model_2=identity.model,
                ),
            )
        )
    return IndexStatus(
        files=int(connection.execute("SELECT count(*) FROM files").get),
        chunks=total,
        embedded=embedded,
        pending=pending,
        fingerprint=model.identity.fingerprint if model else "",
        capabilities=_capabilities(fts=fts),
        collections=_collections(spec, connection),
        size_bytes=spec.path.stat().st_size,
        degraded=tuple(degraded),
        generation=generation(connection),
    )


def _collections(spec: IndexSpec, connection: Connection) -> tuple[CollectionStatus, ...]:
    problems: dict[str, list[Problem]] = {}
    for name, path, problem in connection.execute("SELECT collection, path, problem FROM problems ORDER BY path"):
        problems.setdefault(name, []).append(Problem(path, unpacked(problem)))
    for name, path, note in connection.execute(
        "SELECT c.name, f.path, f.note FROM files f JOIN collections c ON c.id = f.collection WHERE f.note <> ''"
    ):
        problems.setdefault(name, []).append(Problem(path, unpacked(note)))
    rows = connection.execute(
        "SELECT c.name, count(*), coalesce(sum((SELECT count(*) FROM chunks k WHERE k.file_id = f.id)), 0)"
        " FROM files f JOIN collections c ON c.id = f.collection GROUP BY c.id"
    )
    counts = {row[0]: (row[1], row[2]) for row in rows}
    return tuple(
        CollectionStatus(
            collection.name, *counts.get(collection.name, (0, 0)), problems=tuple(problems.get(collection.name, ()))
        )
        for collection in spec.collections
    )


def list_files(spec: IndexSpec, *, limit: int = 10_000, offset: int = 0) -> tuple[FileEntry, ...]:
    """Indexed files and files with problems, by path, of the collections that the agent has now."""
    names = json.dumps([collection.name for collection in spec.collections])
    try:
        with reading(spec.path) as connection:
            rows = list(
                connection.execute(
                    "SELECT path, collection, size, modified, chunks, hash, problem FROM ("
                    " SELECT f.path, c.name AS collection, f.size, f.mtime_ns / 1e9 AS modified, f.hash,"
                    "  (SELECT count(*) FROM chunks k WHERE k.file_id = f.id) AS chunks, nullif(f.note, '') AS problem"
                    "  FROM files f JOIN collections c ON c.id = f.collection"
                    " UNION ALL SELECT p.path, p.collection, 0, 0, NULL, 0, p.problem FROM problems p"
                    "  WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.path = p.path)"
                    ") WHERE collection IN (SELECT value FROM json_each(?)) ORDER BY path LIMIT ? OFFSET ?",
                    (names, limit, offset),
                )
            )
    except IndexUnavailable:
        return ()
    return tuple(
        FileEntry(
            path, collection, size, modified, chunks, docid(digest) if digest else "", problem and unpacked(problem)
        )
        for path, collection, size, modified, chunks, digest, problem in rows
    )


def path_of_docid(spec: IndexSpec, wanted: str) -> str | None:
    """The path a docid (`abc123`, six or more hex digits of the file's hash) stands for; None when there is none.

    Two files with the same content share a docid: the first by path is meant. Transcripts cannot be read, and what
    is no longer shared is gone, so neither has a path.
    """
    names = json.dumps([collection.name for collection in spec.collections if collection.source == "memory"])
    digits = wanted.removeprefix("#").lower()
    if len(digits) < DOCID_CHARS or len(digits) > 64 or any(digit not in "0123456789abcdef" for digit in digits):
        return None
    low = bytes.fromhex(digits.ljust(64, "0"))
    high = bytes.fromhex(digits.ljust(64, "f"))
    try:
        with reading(spec.path) as connection:
            found = connection.execute(
                "SELECT f.path FROM files f JOIN collections c ON c.id = f.collection WHERE f.hash BETWEEN ? AND ?"
                " AND c.name IN (SELECT value FROM json_each(?)) ORDER BY f.path LIMIT 1",
                (low, high, names),
            ).get
    except IndexUnavailable:
        return None
    return str(found) if found is not None else None
