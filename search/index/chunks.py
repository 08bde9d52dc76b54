"""Gateway of chunks and their words: one file's chunks are written and removed as a whole."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from search.documents.parse import Chunk
from search.documents.passages import split_passages
from search.documents.terms import forms_text, index_text
from search.file_types import stem
from search.index.driver import Connection
from search.index.schema import WORDS_ONLY
from search.index.vectors import VectorChanges, cached_ids, vector_of
from search.spec import Origin


def embedded_passages(heading: str, text: str) -> list[str]:
    """What the model sees of a chunk: each passage under the chunk's section path (it may hold that heading itself)."""
    return [
        f"{heading}\n{passage}" if heading and not passage.startswith("#") else passage
        for passage in split_passages(text)
    ]


def chunk_hash(heading: str, text: str) -> bytes:
    """Key of the embedding cache: the same words under the same heading are embedded once.

    Blank lines around the text do not count, so that a note's last entry is the same text when another follows it.
    """
    return hashlib.sha256(f"{heading}\n{text.strip()}".encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class FileChunks:
    """Where a file's chunks belong."""

    file_id: int
    collection: int
    path: str
    title: str


class ChunkWriter:
    """Writes chunks within one transaction; `changes` collects what the vector copies must follow."""

    def __init__(self, connection: Connection, model_id: int | None, *, words: bool) -> None:
        self._connection = connection
        self._model_id = model_id
        self._words = words
        self.changes = VectorChanges()
        self.written = 0
        self._next_id = int(connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get) + 1

    def remove(self, file_id: int) -> list[int]:
        """Delete a file's chunks; the freed ids are answered so that they can be used again."""
        rows = list(
            self._connection.execute("SELECT id, emb_id FROM chunks WHERE file_id = ? ORDER BY ord", (file_id,))
        )
        self._connection.execute("DELETE FROM chunks WHERE file_id = ?", (file_id,))
        for chunk_id, emb_id in rows:
            if self._words:
                self._connection.execute("DELETE FROM chunks_fts WHERE rowid = ?", (chunk_id,))
            if emb_id is not None:
                self.changes.remove(chunk_id, emb_id)
        return [chunk_id for chunk_id, _ in rows]

    def replace(self, place: FileChunks, chunks: Sequence[tuple[Chunk, Origin]]) -> None:
        """Exchange a file's chunks for `chunks`, each with its origin.

        Freed ids are used first, so that ids stay dense over the years.
        """
        free = self.remove(place.file_id)
        hashes = [chunk_hash(WORDS_ONLY if chunk.words_only else chunk.heading, chunk.text) for chunk, _ in chunks]
        known = cached_ids(self._connection, self._model_id, hashes) if self._model_id is not None else {}
        path_terms = index_text(stem(place.path))
        title_terms = index_text(place.title)
        named = forms_text(f"{stem(place.path)} {place.title}")
        for order, ((chunk, origin), digest) in enumerate(zip(chunks, hashes, strict=True)):
            chunk_id = free[order] if order < len(free) else self._take_id()
            emb_id = None if chunk.words_only else known.get(digest)
            self._connection.execute(
                "INSERT INTO chunks(id, file_id, ord, start_line, end_line, hash, importance, projects, triggers,"
                " origin, refused, emb_id, heading, text) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    chunk_id, place.file_id, order, chunk.start_line, chunk.end_line, digest, chunk.importance,
                    "; ".join(chunk.projects), "; ".join(chunk.triggers), origin,
                    WORDS_ONLY if chunk.words_only else "", emb_id, chunk.heading, chunk.text,
                ),
            )  # fmt: skip
            if self._words:
                heading = f"{title_terms} {index_text(chunk.heading)}"
                self._connection.execute(
                    "INSERT INTO chunks_fts(rowid, title, path, body, tags, forms) VALUES(?, ?, ?, ?, ?, ?)",
                    (
                        chunk_id, heading, path_terms, index_text(chunk.text), collection_tag(place.collection),
                        f"{named} {forms_text(f'{chunk.heading} {chunk.text}')}",
                    ),
                )  # fmt: skip
            if emb_id is not None:
                self.changes.add(chunk_id, place.collection, vector_of(self._connection, emb_id))
            self.written += 1

    def _take_id(self) -> int:
        taken = self._next_id
        self._next_id += 1
        return taken


def collection_tag(collection: int) -> str:
    """The term in the `tags` column by which a search keeps to some collections."""
    return f"c{collection}"


def count_pending(connection: Connection) -> int:
    """Chunks that wait for their vector; those that the model refused do not wait."""
    return int(connection.execute("SELECT count(*) FROM chunks WHERE emb_id IS NULL AND refused = ''").get)


def count_chunks(connection: Connection) -> tuple[int, int]:
    """(all, with a vector)."""
    total = int(connection.execute("SELECT count(*) FROM chunks").get)
    without = int(connection.execute("SELECT count(*) FROM chunks WHERE emb_id IS NULL").get)
    return total, total - without
