"""update_files(): index a few files that were just written, without looking at any other."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from search.documents.contain import PathNotAllowed, open_inside
from search.documents.patterns import selection
from search.documents.scan import FoundFile, ScanResult
from search.errors import IndexUnavailable
from search.index.chunks import count_pending
from search.index.driver import Connection, transaction
from search.index.files import ensure_collection, known_file, known_problems
from search.index.locks import writer_lock
from search.index.opening import writing
from search.index.pool import reading
from search.index.report import UpdateReport
from search.index.schema import has_table
from search.index.update import _Plan, _Update
from search.outcome import Problem
from search.sentences import sentence
from search.spec import CollectionSpec, IndexSpec

CHECKPOINT_MS = 500
"""How long the log waits for readers before it keeps the wiped pages until its next turn."""


def update_files(spec: IndexSpec, paths: Collection[str], *, lock_timeout: float = 0.0) -> UpdateReport:
    """Bring the index in line with these files, named as users see them; what is gone of them is removed.

    Raises `IndexBusy` when another process holds the agent's writer lock longer than `lock_timeout` seconds,
    `IndexUnavailable`, and `IndexDamaged`: only an update of all files makes an index new.
    """
    with writer_lock(spec.path, timeout=lock_timeout), writing(spec.path, remake=False) as connection:
        return _UpdateSome(spec, connection, paths).run()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went out of an index: chunks with their words, and cached vectors that nothing else needs."""

    chunks: int
    vectors: int


def forget_files(
    spec: IndexSpec, paths: Collection[str], *, all_unused: bool = False, lock_timeout: float = 0.0
) -> Forgotten:
    """Like `update_files`, after text was taken out of these files: its rows are wiped and its vectors go as well.

    `all_unused`: every vector that no chunk needs, for when it is not known any more whose they were.
    Raises like `update_files`.
    """
    with writer_lock(spec.path, timeout=lock_timeout), writing(spec.path, remake=False) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        before = _chunks_of(connection, paths)
        _UpdateSome(spec, connection, paths).run()
        after = _chunks_of(connection, paths)
        unused = {emb_id for _, emb_id in before if emb_id is not None}
        if all_unused:
            query = "SELECT id FROM embedding_cache e WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE emb_id = e.id)"
            unused |= {row[0] for row in connection.execute(query)}
        if spec.common is not None:
            spec.common.drop(_hashes_without_chunk(connection, unused))
        vectors = _drop_vectors(connection, unused)
        connection.set_busy_timeout(CHECKPOINT_MS)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return Forgotten(max(0, len(before) - len(after)), vectors)


def count_rows(spec: IndexSpec, lines: Iterable[tuple[str, int, int]]) -> int:
    """Chunks that an index holds of these lines (path, first, last) of the memory; 0 without an index."""
    try:
        with reading(spec.path) as connection:
            query = (
                "SELECT c.id FROM chunks c JOIN files f ON f.id = c.file_id"
                " WHERE f.path = ? AND c.start_line <= ? AND c.end_line >= ?"
            )
            return len(
                {row[0] for path, first, last in lines for row in connection.execute(query, (path, last, first))}
            )
    except IndexUnavailable:
        return 0


def _drop_vectors(connection: Connection, emb_ids: Collection[int]) -> int:
    """Cached vectors that no chunk needs any more, and the deleted words that wait in the word index's segments."""
    dropped = 0
    with transaction(connection):
        for emb_id in emb_ids:
            connection.execute(
                "DELETE FROM embedding_cache WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE emb_id = ?1)",
                (emb_id,),
            )
            dropped += connection.changes()
        if has_table(connection, "chunks_fts"):
            connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES('optimize')")
    return dropped


def _hashes_without_chunk(connection: Connection, emb_ids: Collection[int]) -> list[bytes]:
    query = "SELECT hash FROM embedding_cache e WHERE id = ? AND NOT EXISTS (SELECT 1 FROM chunks WHERE emb_id = e.id)"
    return [row[0] for emb_id in emb_ids for row in connection.execute(query, (emb_id,))]


def _chunks_of(connection: Connection, paths: Collection[str]) -> list[tuple[int, int | None]]:
    found: list[tuple[int, int | None]] = []
    for path in paths:
        rows = connection.execute(
            "SELECT c.id, c.emb_id FROM chunks c JOIN files f ON f.id = c.file_id WHERE f.path = ?", (path,)
        )
        found += [(row[0], row[1]) for row in rows]
    return found


class _UpdateSome(_Update):
    """An update whose scan is a look at the named files."""

    def __init__(self, spec: IndexSpec, connection: Connection, paths: Collection[str]) -> None:
        super().__init__(spec, connection, progress=lambda _: None, cancelled=lambda: False)
        self.paths = frozenset(paths)
        self.problems_before = known_problems(connection)

    def _plan(self, collection: CollectionSpec, known: dict[str, tuple[int, str]]) -> _Plan:
        takes = selection(collection).takes
        own = (path.removeprefix(collection.prefix) for path in self.paths if path.startswith(collection.prefix))
        wanted = sorted(rel for rel in own if takes(rel))
        plan = _Plan(collection, _look_at(collection, wanted))
        before = self.problems_before.get(collection.name, set())
        self.problems[collection.name] = [item for item in before if item.path not in wanted] + plan.scan.problems
        if not wanted:
            return plan
        entry = known.get(collection.name)
        if entry is None:
            with transaction(self.connection):
                entry = known[collection.name] = (ensure_collection(self.connection, collection), collection.source)
        there = {found.rel: found for found in plan.scan.files}
        for rel in wanted:
            file = known_file(self.connection, entry[0], rel)
            if rel in there:
                plan.read.append((there[rel], file))
            elif file is not None and not plan.scan.unknown(rel):
                plan.gone.append(file.id)
        return plan

    def _count_waiting(self) -> int:
        """Somebody may be waiting for this update: the chunks of the other files are left to the next whole one."""
        return count_pending(self.connection)

    def _write_origins(self, plans: list[_Plan]) -> None:
        """A collection's default origin changes only with all of its files."""


def _look_at(collection: CollectionSpec, rels: list[str]) -> ScanResult:
    files: list[FoundFile] = []
    problems: list[Problem] = []
    unreadable: list[str] = []
    for rel in rels:
        try:
            fd = open_inside(collection.root, rel)
        except FileNotFoundError:
            continue
        except PathNotAllowed as error:
            problems.append(Problem(rel, error.message))
            continue
        except OSError as error:
            problems.append(
                Problem(
                    rel, sentence("cannot be read ({strerror}); what is indexed of it is kept", strerror=error.strerror)
                )
            )
            unreadable.append(rel)
            continue
        status = os.fstat(fd)
        os.close(fd)
        files.append(FoundFile.of(rel, status))
    return ScanResult(files, problems, unreadable=tuple(unreadable))
