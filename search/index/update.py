"""update_index(): bring one agent's index in line with its files, changed files only."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import starmap

from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside
from search.documents.conversion.convert import NO_CONVERTER, WAITS, Derived, converter
from search.documents.conversion.kept import KeptTexts, document_digest
from search.documents.origin import chunk_origins
from search.documents.parse import ParsedDocument, parse_document
from search.documents.scan import FoundFile, ScanResult, scan_collection
from search.documents.text import dated_path, evergreen
from search.errors import Cancelled, IndexDamaged
from search.file_types import is_converted
from search.index.chunks import ChunkWriter, FileChunks
from search.index.documents import Waiting, convert_documents
from search.index.driver import Connection, transaction
from search.index.files import (
    KnownFile,
    NewFile,
    ensure_collection,
    known_collections,
    known_files,
    known_origins,
    known_problems,
    put_file,
    replace_problems,
    set_origin,
    touch_file,
)
from search.index.locks import writer_lock
from search.index.opening import BUILD_SUFFIX, writing
from search.index.report import IsCancelled, Progress, ReportProgress, UpdateReport
from search.index.schema import get_meta, has_table, next_generation, set_meta
from search.index.tokens import count_waiting, drop_tokens
from search.index.vectors import active_model, agree_on_model
from search.outcome import Problem
from search.sentences import packed, sentence, together
from search.spec import CollectionSpec, EmbeddingIdentity, IndexSpec, Origin

BATCH_CHUNKS = 512
"""Chunks of whole files per transaction: the best throughput measured, and a reader sees progress."""


def update_index(
    spec: IndexSpec,
    *,
    identity: EmbeddingIdentity | None,
    progress: ReportProgress,
    cancelled: IsCancelled,
    lock_timeout: float = 0.0,
) -> UpdateReport:
    """Scan, compare, cut and write; one transaction per about 512 chunks of whole files.

    Takes the agent's writer lock: raises `IndexBusy` when another process holds it longer than `lock_timeout` s.
    Raises `Cancelled` between files. One bad file never stops the rest: it becomes a problem in the status.
    """
    waiting = convert_documents(spec, progress=progress, cancelled=cancelled)
    with writer_lock(spec.path, timeout=lock_timeout):
        try:
            return _update(spec, identity, progress, cancelled, waiting)
        except IndexDamaged:
            return _update(spec, identity, progress, cancelled, waiting)  # opened again, it is made new


def _update(
    spec: IndexSpec,
    identity: EmbeddingIdentity | None,
    progress: ReportProgress,
    cancelled: IsCancelled,
    waiting: Waiting,
) -> UpdateReport:
    with writing(spec.path) as connection:
        stale = identity is not None and not _agrees(connection, identity)
        return replace(_Update(spec, connection, progress, cancelled, waiting).run(), stale=stale)


def _agrees(connection: Connection, wanted: EmbeddingIdentity) -> bool:
    """Whether the index holds, or takes from now on, vectors of this identity. Written only when that changes."""
    model = active_model(connection)
    if model is None or model.identity.fingerprint != wanted.fingerprint:
        with transaction(connection):
            model = agree_on_model(connection, wanted)
    return model.identity.fingerprint == wanted.fingerprint


@dataclass(slots=True)
class _Plan:
    """What one collection needs: found on disk, compared with the index."""

    collection: CollectionSpec
    scan: ScanResult
    recut: bool = False
    """The collection's default origin is another one now: every file is cut again, also those that look the same."""
    read: list[tuple[FoundFile, KnownFile | None]] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A file that was read and cut, waiting to be written."""

    plan: _Plan
    known: KnownFile | None
    file: NewFile
    parsed: ParsedDocument | None
    """None: the bytes are the same as before."""
    origins: tuple[Origin, ...] = ()
    """Of the chunks in `parsed`, in their order."""


class _Update:
    def __init__(
        self,
        spec: IndexSpec,
        connection: Connection,
        progress: ReportProgress,
        cancelled: IsCancelled,
        waiting: Waiting = frozenset(),
    ) -> None:
        self.spec = spec
        self.connection = connection
        self.progress = progress
        self.cancelled = cancelled
        self.waiting = waiting
        self.texts = KeptTexts(spec.path)
        self.wrote = False
        self.added = self.changed = self.removed = self.chunks = 0
        self.problems: dict[str, list[Problem]] = {}
        self.touched: list[str] = []
        self.recut = False

    def run(self) -> UpdateReport:
        known = known_collections(self.connection)
        plans = [self._plan(collection, known) for collection in self.spec.collections]
        for plan in plans[:1]:
            self.problems[plan.collection.name] += starmap(Problem, self.spec.left_out)
        total = sum(len(plan.read) for plan in plans)
        self.progress(Progress(0, total, "files"))
        self._remove_gone(plans, known)
        batch: list[_Ready] = []
        waiting = done = 0
        for ready in self._read(plans):
            done += 1
            if ready is not None:
                batch.append(ready)
                waiting += len(ready.parsed.chunks) if ready.parsed else 1
            if waiting >= BATCH_CHUNKS:
                self._write(batch)
                batch, waiting = [], 0
                self.progress(Progress(done, total, "files"))
        self._write(batch)
        self._write_origins(plans)
        self._write_problems(plans)
        self._mark_complete()
        self._drop_texts()
        self.progress(Progress(done, total, "files"))
        pending = self._count_waiting()
        scanned = sum(len(plan.scan.files) for plan in plans)
        problems = sum(map(len, self.problems.values()))
        return UpdateReport(
            scanned, self.added, self.changed, self.removed, self.chunks, pending, problems, wrote=self.wrote,
            paths=tuple(self.touched), recut=self.recut or any(plan.recut for plan in plans),
            unconverted=len(self.waiting),
        )  # fmt: skip

    def _count_waiting(self) -> int:
        """Vectors of tokens that are not to be kept any more go here."""
        if not self.spec.tokens:
            with transaction(self.connection):
                self.wrote = drop_tokens(self.connection) or self.wrote
        return count_waiting(self.connection, tokens=self.spec.tokens)

    def _drop_texts(self) -> None:
        """Of documents that are in the live index no more; a build beside it may not have come to all of them."""
        if self.texts.names() and not self.spec.path.name.endswith(BUILD_SUFFIX):
            self.texts.keep_only([row[0] for row in self.connection.execute("SELECT hash FROM files")])

    def _mark_complete(self) -> None:
        """Once: from now on, what is not found is not there."""
        if get_meta(self.connection, "complete") == 0:
            with transaction(self.connection):
                set_meta(self.connection, "complete", 1)
                next_generation(self.connection)
            self.wrote = True

    def _plan(self, collection: CollectionSpec, known: dict[str, tuple[int, str]]) -> _Plan:
        recut = known_origins(self.connection).get(collection.name, collection.origin) != collection.origin
        plan = _Plan(collection, scan_collection(collection), recut)
        self.problems[collection.name] = list(plan.scan.problems)
        entry = known.get(collection.name)
        if entry is None or entry[1] != collection.source:
            with transaction(self.connection):
                entry = (ensure_collection(self.connection, collection), collection.source)
            known[collection.name] = entry
            self.wrote = True
        before = known_files(self.connection, entry[0])
        for found in plan.scan.files:
            file = before.pop(found.rel, None)
            stamp = (found.mtime_ns, found.size, found.inode)
            if (collection.name, found.rel) in self.waiting:
                self._name_problem(collection, found.rel, WAITS)
            elif is_converted(found.rel) and not converter():
                self._name_problem(collection, found.rel, NO_CONVERTER)
                plan.gone += [file.id] if file is not None else []
            elif file is None or recut or not file.looks_unchanged(stamp) or not self._has_text(found.rel, file):
                plan.read.append((found, file))
        # A folder that could not be read is not an empty folder: what lies under it stays.
        plan.gone += [file.id for rel, file in before.items() if not plan.scan.unknown(rel)]
        return plan

    def _has_text(self, rel: str, file: KnownFile) -> bool:
        return not is_converted(rel) or self.texts.has(file.hash)

    def _name_problem(self, collection: CollectionSpec, rel: str, problem: str) -> None:
        self.problems[collection.name].append(Problem(collection.prefix + rel, problem))

    def _read(self, plans: list[_Plan]) -> Iterator[_Ready | None]:
        for plan in plans:
            for found, known in plan.read:
                if self.cancelled():
                    raise Cancelled(sentence("the update was cancelled; files written before that stay indexed"))
                yield self._read_one(plan, found, known)

    def _read_one(self, plan: _Plan, found: FoundFile, known: KnownFile | None) -> _Ready | None:
        collection = plan.collection
        looked_at = time.time()
        try:
            data = read_inside(collection.root, found.rel)
        except FileNotFoundError:
            # Gone since the scan. The next update removes it; nothing is wrong with it.
            return None
        except (OSError, PathNotAllowed, FileTooLarge) as error:
            self._name_problem(collection, found.rel, sentence("cannot be read: {error}", error=error))
            return None
        derived: Derived | None = None
        if is_converted(found.rel):
            digest = document_digest(data)
            derived = self.texts.get(digest)
            if derived is None:
                self._name_problem(collection, found.rel, WAITS)
                return None
            data = derived.text.encode()
        else:
            digest = hashlib.sha256(data).digest()
        stamp = (found.mtime_ns, found.size, found.inode)
        parsed: ParsedDocument | None = None
        origins: tuple[Origin, ...] = ()
        if known is None or plan.recut or known.hash != digest:
            parsed = parse_document(
                found.rel, data, curated=found.rel in collection.curated, chunking=self.spec.chunking,
                transcript=collection.source == "sessions",
            )  # fmt: skip
            origins = chunk_origins(collection, found.rel, data, parsed.chunks)
        problems = parsed.problems if parsed else ()
        if derived is not None and derived.problem:
            problems = (derived.problem,)
        path = collection.prefix + found.rel
        day = dated_path(path)
        file = NewFile(
            found.rel, path, stamp, digest, parsed.title if parsed else "", day.isoformat() if day else None,
            evergreen(path), packed(together(problems)), looked_at,
            parsed.session if parsed else "",
        )  # fmt: skip
        return _Ready(plan, known, file, parsed, origins)

    def _write(self, batch: list[_Ready]) -> None:
        if not batch:
            return
        with transaction(self.connection):
            writer = self._writer()
            ids = known_collections(self.connection)
            for ready in batch:
                collection = ids[ready.plan.collection.name][0]
                if ready.parsed is None and ready.known is not None:
                    touch_file(self.connection, ready.known.id, ready.file.stamp, ready.file.indexed_at)
                    continue
                assert ready.parsed is not None
                file_id = put_file(self.connection, collection, ready.plan.collection.source, ready.file)
                pairs = zip(ready.parsed.chunks, ready.origins, strict=True)
                shown = [(chunk, origin) for chunk, origin in pairs if not chunk.excluded]
                writer.replace(FileChunks(file_id, collection, ready.file.path, ready.file.title), shown)
                self.touched.append(ready.file.path)
                self.added += ready.known is None
                self.changed += ready.known is not None
            self._close_batch(writer)

    def _remove_gone(self, plans: list[_Plan], known: dict[str, tuple[int, str]]) -> None:
        wanted = {plan.collection.name for plan in plans}
        dropped = [entry[0] for name, entry in known.items() if name not in wanted]
        gone = [file_id for plan in plans for file_id in plan.gone]
        for collection in dropped:
            gone += [file.id for file in known_files(self.connection, collection).values()]
        if not gone and not dropped:
            return
        with transaction(self.connection):
            writer = self._writer()
            for file_id in gone:
                writer.remove(file_id)
                query = "DELETE FROM files WHERE id = ? RETURNING path"
                self.touched += [row[0] for row in self.connection.execute(query, (file_id,))]
            for name in known.keys() - wanted:
                replace_problems(self.connection, name, ())
                self.connection.execute("DELETE FROM collections WHERE name = ?", (name,))
            self._close_batch(writer)
        self.removed, self.recut = len(gone), bool(dropped)

    def _writer(self) -> ChunkWriter:
        model = active_model(self.connection)
        return ChunkWriter(self.connection, model.id if model else None, words=has_table(self.connection, "chunks_fts"))

    def _close_batch(self, writer: ChunkWriter) -> None:
        version = next_generation(self.connection)
        writer.changes.apply(self.connection, version)
        self.chunks += writer.written
        self.wrote = True

    def _write_origins(self, plans: list[_Plan]) -> None:
        """Last, so that an update that was cut short starts over with the files it had not reached."""
        before = known_origins(self.connection)
        changed = [plan.collection for plan in plans if before.get(plan.collection.name) != plan.collection.origin]
        if not changed:
            return
        with transaction(self.connection):
            for collection in changed:
                set_origin(self.connection, collection)
        self.wrote = True

    def _write_problems(self, plans: list[_Plan]) -> None:
        before = known_problems(self.connection)
        differing = [
            plan.collection.name
            for plan in plans
            if _as_stored(before.get(plan.collection.name, ())) != _as_stored(self.problems[plan.collection.name])
        ]
        if not differing:
            return
        with transaction(self.connection):
            for name in differing:
                replace_problems(self.connection, name, self.problems[name])
        self.wrote = True


def _as_stored(problems: Iterable[Problem]) -> set[tuple[str, str]]:
    """One that an earlier version wrote without its template is written again."""
    return {(item.path, packed(item.problem)) for item in problems}
