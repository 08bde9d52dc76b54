"""rebuild_index(): build the next index beside the live one, in bouts, swap it in whole. remove_index(): delete one.

A build belongs to one identity of vectors: its file is continued by the next bout, also after a crash, as long as that
identity is wanted, and gives its vectors to the live index's cache when another one is.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from search.documents.conversion.kept import delete_texts
from search.errors import EmbedderUnavailable, IndexBusy, IndexUnavailable, ModelGaveNothing
from search.index.chunks import count_chunks
from search.index.damage import damage_mark
from search.index.driver import open_reader
from search.index.embed import LOCK_TIMEOUT, embed_pending
from search.index.locks import build_lock, lock_path, writer_lock
from search.index.opening import BUILD_SUFFIX, SIDE_FILES, seed_cache, writing
from search.index.pool import reading
from search.index.report import EmbedReport, IsCancelled, Progress, RebuildReport, ReportProgress, UpdateReport
from search.index.schema import WORDS_ONLY, generation, set_meta
from search.index.tokens import count_waiting
from search.index.update import update_index
from search.index.vectors import active_model, has_vectors
from search.runtime.protocols import Embedder
from search.sentences import sentence
from search.spec import EmbeddingIdentity, IndexSpec

SWAP_PENDING = 64
"""New chunks that may still wait for their vectors when an index of another identity is swapped in: what changed on
disk during the last bout. The next embedding job has them in a minute."""


def build_path(live: Path) -> Path:
    """Where the next index of an agent is built."""
    return live.with_name(live.name + BUILD_SUFFIX)


def rebuild_index(
    spec: IndexSpec,
    embedder: Embedder | None,
    *,
    budget_seconds: float,
    progress: ReportProgress,
    cancelled: IsCancelled,
    lanes: int = 1,
) -> RebuildReport:
    """Everything from the files again, cached vectors reused; the caller comes back until the report says `swapped`.

    An index of another identity replaces the live one only with its vectors; else those that are missing may follow.
    Without an embedder that answers the identity stays what it is. Meanwhile searches, updates and embedding go on in
    the live index. Raises `Cancelled` (the build is continued next time), `EmbedderUnavailable`, `ModelGaveNothing`,
    `IndexBusy`, and `IndexUnavailable` when the disk is full or read-only: then the build is given up.
    """
    with build_lock(spec.path):
        return _Rebuild(spec, embedder, progress, cancelled, lanes).run(time.monotonic() + budget_seconds)


class _Rebuild:
    """One bout, under the build lock."""

    def __init__(
        self,
        spec: IndexSpec,
        embedder: Embedder | None,
        progress: ReportProgress,
        cancelled: IsCancelled,
        lanes: int,
    ) -> None:
        self.spec = spec
        self.embedder = embedder
        self.progress = progress
        self.cancelled = cancelled
        self.lanes = lanes
        self.building = replace(spec, path=build_path(spec.path))
        self.identity, self.switching = self._target()

    def run(self, stop_at: float) -> RebuildReport:
        try:
            self._prepare()
            look = self._update()
            done = EmbedReport(0, look.pending, 0)
            if self.switching and look.pending and self.embedder is not None:
                done = self._embed(self.embedder, max(0.0, stop_at - time.monotonic()))
            if self.switching and done.pending:
                return self._report(look, done.embedded, swapped=False)
            return self._finish(done.embedded)
        except IndexUnavailable:
            # A full disk above all: half an index would keep the space that everything else needs.
            _delete_build(self.spec.path)
            raise

    def _target(self) -> tuple[EmbeddingIdentity | None, bool]:
        """The identity to build for, and whether the live index has vectors of another one."""
        wanted = None
        if self.embedder is not None:
            try:
                wanted = self.embedder.identity()
            except EmbedderUnavailable:
                self.embedder = None
        try:
            with reading(self.spec.path) as live:
                model, useful = active_model(live), has_vectors(live)
        except IndexUnavailable:
            return wanted, False
        if wanted is None:
            return (model.identity if model else None), False
        return wanted, useful and model is not None and model.identity.fingerprint != wanted.fingerprint

    def _prepare(self) -> None:
        """A build file of the wanted identity that holds every vector the live index has in its cache."""
        if self.identity is not None:
            abandon_other_build(self.spec.path, self.identity)
        with writing(self.building.path) as build:
            seed_cache(build, self.spec.path)

    def _update(self) -> UpdateReport:
        return update_index(
            self.building,
            identity=self.identity,
            progress=self.progress,
            cancelled=self.cancelled,
            lock_timeout=LOCK_TIMEOUT,
        )

    def _embed(self, embedder: Embedder, budget_seconds: float) -> EmbedReport:
        before = self._counts().vectors

        def over_all_bouts(bout: Progress) -> None:
            self.progress(Progress(before + bout.done, before + bout.total, "chunks"))

        return embed_pending(
            self.building,
            embedder,
            budget_seconds=budget_seconds,
            progress=over_all_bouts,
            cancelled=self.cancelled,
            lanes=self.lanes,
        )

    def _finish(self, embedded: int) -> RebuildReport:
        """What changed on disk meanwhile, then the swap; both while nobody else writes the live index."""
        with writer_lock(self.spec.path, timeout=LOCK_TIMEOUT):
            last = self._update()
            if self.switching and last.pending > SWAP_PENDING:
                return self._report(last, embedded, swapped=False)
            self._refuse_nothing()
            _swap(self.building.path, self.spec.path)
            report = self._report(last, embedded, swapped=True)
            _delete_build(self.spec.path)
        return report

    def _refuse_nothing(self) -> None:
        """A model that has no vector for most of the texts is broken: what is there is better."""
        if not self.switching:
            return
        counts = self._counts()
        if 2 * counts.refused > counts.chunks:
            _delete_build(self.spec.path)
            raise ModelGaveNothing(
                sentence(
                    "the model gave no usable vector for {refused} of {chunks} chunks; the old index stays",
                    refused=counts.refused,
                    chunks=counts.chunks,
                ),
                hint=sentence("Check the embedding model, or choose another one; the next update tries again."),
            )

    def _report(self, look: UpdateReport, embedded: int, *, swapped: bool) -> RebuildReport:
        counts = self._counts()
        return RebuildReport(
            scanned=look.scanned,
            chunks=counts.chunks,
            vectors=counts.vectors,
            embedded=embedded,
            pending=counts.pending,
            problems=look.problems,
            switched=self.switching,
            swapped=swapped,
        )

    def _counts(self) -> _Counts:
        # Not through the pool: a connection kept there would keep the deleted build's disk space.
        build = open_reader(self.building.path)
        try:
            chunks, vectors = count_chunks(build)
            refused = build.execute("SELECT count(*) FROM chunks WHERE refused NOT IN ('', ?)", (WORDS_ONLY,)).get
            return _Counts(chunks, vectors, int(refused), count_waiting(build, tokens=self.spec.tokens))
        finally:
            build.close()


class _Counts(NamedTuple):
    chunks: int
    vectors: int
    refused: int
    pending: int


def _swap(beside: Path, live_path: Path) -> None:
    """Copy the build over the live file in one step: replacing a file under open connections would corrupt it."""
    with writing(live_path) as live, writing(beside) as source:
        seed_cache(source, live_path)
        # Readers recognise a change by a generation that only goes up.
        set_meta(source, "generation", max(generation(live), generation(source)) + 1)
        source.execute("UPDATE vec_seg SET ver = (SELECT value FROM meta WHERE key = 'generation')")
        source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with live.backup("main", source, "main") as backup:
            backup.step(-1)
        # The log is as large as the index now: let it shrink as soon as no reader needs it.
        live.execute("PRAGMA wal_checkpoint(PASSIVE)")


def drop_unwanted_build(live: Path, wanted: EmbeddingIdentity) -> None:
    """End a build whose identity was given up again, unless a job works on it right now."""
    if build_path(live).exists():
        with suppress(IndexBusy), build_lock(live):
            abandon_other_build(live, wanted)


def abandon_other_build(live: Path, wanted: EmbeddingIdentity) -> None:
    """`abandon_build`, where the build is of another identity than `wanted`. Needs the build lock."""
    beside = build_path(live)
    if not beside.exists():
        return
    with writing(beside) as build:
        model = active_model(build)
    if model is not None and model.identity.fingerprint != wanted.fingerprint:
        abandon_build(live)


def abandon_build(live: Path) -> None:
    """Delete a build, after the live index took its vectors over. Needs the build lock."""
    with writer_lock(live, timeout=LOCK_TIMEOUT), writing(live) as connection:
        seed_cache(connection, build_path(live))
    _delete_build(live)


def remove_index(path: Path, *, lock_timeout: float = 5.0) -> None:
    """Delete an agent's index file with its side files, its build, what was set aside and the texts of its documents,
    under both locks.

    Raises `IndexBusy` when a job still writes after `lock_timeout` seconds. The empty lock file stays: a process that
    waits for it must not be left with a lock that nobody else sees.
    """
    with build_lock(path, timeout=lock_timeout), writer_lock(path, timeout=lock_timeout):
        _delete_build(path)
        _delete(path)
        delete_texts(path)


def _delete_build(live: Path) -> None:
    beside = build_path(live)
    _delete(beside)
    lock_path(beside).unlink(missing_ok=True)


def _delete(path: Path) -> None:
    # The database first: a reader that comes between must not find it without its log.
    for suffix in SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    damage_mark(path).unlink(missing_ok=True)
    for aside in path.parent.glob(f"{path.name}.aside-*"):
        aside.unlink(missing_ok=True)
