"""embed_pending(): give waiting chunks their vectors, in slices; the writer lock is never held while a model runs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np

from search.errors import Cancelled, EmbedderUnavailable, IdentityChanged, IndexDamaged, IndexUnavailable
from search.index.borrow import borrow_vectors, packed_texts
from search.index.chunks import count_pending, embedded_passages
from search.index.driver import Connection, transaction
from search.index.locks import writer_lock
from search.index.opening import writing
from search.index.pool import reading
from search.index.report import EmbedReport, IsCancelled, Progress, ReportProgress
from search.index.schema import get_meta, next_generation
from search.index.tokens import count_waiting, put_tokens, wanted_version, without_tokens
from search.index.vectors import (
    BITS_FROM,
    VectorChanges,
    active_model,
    agree_on_model,
    centre_bits,
    count_vectors,
    link_cached,
    store_vectors,
)
from search.runtime.protocols import Bits, Embedder, Vectors
from search.runtime.providers.table import EMBEDDING
from search.runtime.tokens import embed_documents_with_tokens
from search.sentences import sentence
from search.spec import EmbeddingIdentity, IndexSpec

SLICE_BYTES = 1_600
"""Text per call of the model: about one full chunk, so that nobody waits longer than that for it."""
REMOTE_SLICE_BYTES = 16_000
"""Of a provider, whom nobody waits for behind us: two of its requests' worth."""
STORE_SECONDS = 2.0
STORE_CHUNKS = 64
"""Vectors are written after this time or number, whichever comes first."""
SLICE_TIMEOUT = 120.0
LOCK_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A text without vectors, cut into its passages."""

    hash: bytes
    passages: tuple[str, ...]


def embed_pending(
    spec: IndexSpec,
    embedder: Embedder,
    *,
    budget_seconds: float,
    progress: ReportProgress,
    cancelled: IsCancelled,
    lanes: int = 1,
) -> EmbedReport:
    """Embed until nothing waits or `budget_seconds` have passed; the caller comes back while `pending` > 0.

    `lanes`: slices under way at once, for an embedder that is served by several machines.

    Raises `EmbedderUnavailable` when the model cannot answer; everything stored before stays. Raises
    `IdentityChanged` when the index holds vectors of another model, `IndexUnavailable` when it cannot be written, and
    `IndexDamaged` also when it has gone: an index made new here would hold no text and look whole.
    """
    identity = embedder.identity()
    stop_at = time.monotonic() + budget_seconds
    with ExitStack() as opened:
        with writer_lock(spec.path, timeout=LOCK_TIMEOUT):
            if not spec.path.exists():
                raise IndexDamaged(
                    sentence("the index {name} is gone", name=spec.path.name),
                    hint=sentence("The next update makes it again by itself."),
                )
            connection = opened.enter_context(writing(spec.path, remake=False))
        model_id = _agree_on_model(spec, connection, identity)
        store = _Store(spec, connection, model_id, identity)
        reused = store.take_cached()
        if borrow_vectors(spec, connection, model_id, identity.fingerprint):
            reused += store.take_cached()
        total = count_waiting(connection, tokens=spec.tokens)
        progress(Progress(0, total, "chunks"))
        slices = _Slices(
            connection,
            stop_at,
            cancelled,
            REMOTE_SLICE_BYTES if identity.provider in EMBEDDING else SLICE_BYTES,
            wanted_version(connection) if spec.tokens else None,
        )
        try:
            for piece, embedded in _embedded(embedder, slices, lanes):
                _refuse_another(embedder, identity)
                store.add(piece, *embedded)
                progress(Progress(store.done, max(total, store.done), "chunks"))
        finally:
            store.flush()
        if slices.cancelled:
            raise Cancelled(sentence("embedding was cancelled; vectors stored before that stay"))
        store.keep_bits()
        return EmbedReport(store.embedded, count_waiting(connection, tokens=spec.tokens), store.refused, reused)


def _agree_on_model(
    spec: IndexSpec, connection: Connection, identity: EmbeddingIdentity, lock_timeout: float = LOCK_TIMEOUT
) -> int:
    model = active_model(connection)
    if model is None or model.identity.fingerprint != identity.fingerprint:
        with writer_lock(spec.path, timeout=lock_timeout), transaction(connection):
            model = agree_on_model(connection, identity)
    if model.identity.fingerprint != identity.fingerprint:
        raise IdentityChanged(
            sentence(
                "the index holds vectors of {model}, the embedder gives those of {model_2}",
                model=model.identity.model,
                model_2=identity.model,
            ),
            hint=sentence("Rebuild the index; cached vectors are used again."),
        )
    return model.id


def _refuse_another(embedder: Embedder, identity: EmbeddingIdentity) -> None:
    """A process that was restarted with another model, or a fallback that took over, ends the bout."""
    if embedder.identity().fingerprint != identity.fingerprint:
        raise EmbedderUnavailable(
            sentence("the embedding model was changed meanwhile"), hint=sentence("The next job goes on with it.")
        )


class _Slices:
    """The slices of one bout: none is begun after it is over or cancelled, and what is under way then is kept."""

    def __init__(
        self,
        connection: Connection,
        stop_at: float,
        cancelled: IsCancelled,
        slice_bytes: int,
        tokens_version: int | None,
    ) -> None:
        self._connection = connection
        self._tokens_version = tokens_version
        self._stop_at = stop_at
        self._slice_bytes = slice_bytes
        self._is_cancelled = cancelled
        self.cancelled = False

    def __iter__(self) -> Iterator[list[_Waiting]]:
        for piece in _slices(self._connection, self._slice_bytes, self._tokens_version):
            if self._is_cancelled():
                self.cancelled = True
                return
            yield piece
            if time.monotonic() >= self._stop_at:
                return


def _slices(connection: Connection, slice_bytes: int, tokens_version: int | None) -> Iterator[list[_Waiting]]:
    """Waiting texts, the newest files first, each text once, in pieces of about `slice_bytes`.

    With `tokens_version` those come last that have vectors, of an earlier version of this program, but not of tokens.
    """
    seen: set[bytes] = set()
    while True:
        rows = list(
            connection.execute(
                "SELECT c.hash, c.heading, c.text FROM chunks c JOIN files f ON f.id = c.file_id"
                " WHERE c.emb_id IS NULL AND c.refused = '' ORDER BY f.mtime_ns DESC, c.file_id, c.ord LIMIT ?",
                (STORE_CHUNKS * 2,),
            )
        )
        if not rows and tokens_version is not None:
            rows = without_tokens(connection, tokens_version, STORE_CHUNKS * 2)
        fresh = [row for row in rows if row[0] not in seen]
        if not fresh:
            return
        piece: list[_Waiting] = []
        size = 0
        for digest, heading, text in fresh:
            if digest in seen:
                continue
            seen.add(digest)
            piece.append(_Waiting(digest, tuple(embedded_passages(heading, text))))
            size += len(text.encode("utf-8", "replace"))
            if size >= slice_bytes:
                yield piece
                piece, size = [], 0
        if piece:
            yield piece


_Embedded = tuple[Vectors, tuple[Bits, ...] | None]


def _embedded(
    embedder: Embedder, slices: Iterable[list[_Waiting]], lanes: int
) -> Iterator[tuple[list[_Waiting], _Embedded]]:
    """Each slice with its vectors, in order, `lanes` of them under way at once."""

    def embed(piece: list[_Waiting]) -> _Embedded:
        texts = [text for item in piece for text in item.passages]
        return embed_documents_with_tokens(embedder, texts, timeout=SLICE_TIMEOUT)

    if lanes == 1:
        for piece in slices:
            yield piece, embed(piece)
        return
    with ThreadPoolExecutor(lanes, "embed") as pool:
        under_way: deque[tuple[list[_Waiting], Future[_Embedded]]] = deque()
        for piece in slices:
            under_way.append((piece, pool.submit(embed, piece)))
            if len(under_way) >= lanes:
                first, future = under_way.popleft()
                yield first, future.result()
        for first, future in under_way:
            yield first, future.result()


def _usable(passages: Vectors) -> bool:
    return bool(np.isfinite(passages).all() and passages.any(axis=1).all() and passages.sum(axis=0).any())


def is_waiting(path: Path) -> bool:
    """Whether chunks of this index wait for vectors; False without an index."""
    try:
        with reading(path) as connection:
            return count_pending(connection) > 0
    except IndexUnavailable:
        return False


def take_vectors(spec: IndexSpec, identity: EmbeddingIdentity | None, *, lock_timeout: float = LOCK_TIMEOUT) -> int:
    """Give waiting chunks the vectors that others have made of their texts; answers how many chunks still wait.

    Without a model that answers, and for an index of another one, none are taken. Raises like `embed_pending`, and
    `IndexBusy` when another process holds the writer lock for longer than `lock_timeout` seconds.
    """
    with writing(spec.path, remake=False) as connection:
        waiting = count_pending(connection)
        if waiting and identity is not None:
            with suppress(IdentityChanged):
                model_id = _agree_on_model(spec, connection, identity, lock_timeout)
                if borrow_vectors(spec, connection, model_id, identity.fingerprint, lock_timeout=lock_timeout):
                    waiting -= _Store(spec, connection, model_id, identity).take_cached(lock_timeout)
        return waiting


class _Store:
    """Collects vectors and writes them under the writer lock, a few at a time."""

    def __init__(self, spec: IndexSpec, connection: Connection, model_id: int, identity: EmbeddingIdentity) -> None:
        self._spec = spec
        self._connection = connection
        self._model_id = model_id
        self._identity = identity
        self._tokens_version = wanted_version(connection) if spec.tokens else None
        self._ready: list[tuple[_Waiting, Vectors, Sequence[Bits]]] = []
        self._flushed_at = time.monotonic()
        self.done = self.embedded = self.refused = 0

    def take_cached(self, lock_timeout: float = LOCK_TIMEOUT) -> int:
        """What another file, an older index or the time before a switch has embedded already."""
        if not count_pending(self._connection):
            return 0
        with writer_lock(self._spec.path, timeout=lock_timeout), transaction(self._connection):
            changes = VectorChanges()
            taken = link_cached(self._connection, self._model_id, changes)
            if taken:
                changes.apply(self._connection, next_generation(self._connection))
        return taken

    def add(self, piece: list[_Waiting], vectors: Vectors, tokens: tuple[Bits, ...] | None) -> None:
        ends = list(accumulate(len(item.passages) for item in piece))
        if vectors.shape != (ends[-1], self._identity.dims):
            raise EmbedderUnavailable(
                sentence(
                    "the model answered with shape {shape} instead of {value}",
                    shape=vectors.shape,
                    value=(ends[-1], self._identity.dims),
                ),
                hint=sentence("Check the embedding model; its dimension does not match its description."),
            )
        for item, rows, end in zip(piece, np.split(vectors, ends[:-1]), ends, strict=True):
            self._ready.append((item, rows, (tokens or ())[end - len(item.passages) : end]))
        self.done += len(piece)
        if len(self._ready) >= STORE_CHUNKS or time.monotonic() - self._flushed_at >= STORE_SECONDS:
            self.flush()

    def flush(self) -> None:
        self._flushed_at = time.monotonic()
        if not self._ready:
            return
        with writer_lock(self._spec.path, timeout=LOCK_TIMEOUT), transaction(self._connection):
            changes = VectorChanges()
            for item, passages, tokens in self._ready:
                self._put(item, passages, tokens, changes)
            changes.apply(self._connection, next_generation(self._connection))
            if self._spec.common is not None:  # before the commit: what is only here another server would embed again
                fingerprint, digests = self._identity.fingerprint, [item.hash for item, _, _ in self._ready]
                self._spec.common.keep(fingerprint, packed_texts(self._connection, fingerprint, digests))
        self._ready = []

    def _put(self, item: _Waiting, passages: Vectors, tokens: Sequence[Bits], changes: VectorChanges) -> None:
        if not _usable(passages):
            self._connection.execute(
                "UPDATE chunks SET refused = 'the model gave an empty vector' WHERE hash = ? AND emb_id IS NULL",
                (item.hash,),
            )
            self.refused += 1
            return
        emb_id, vector = store_vectors(self._connection, self._model_id, item.hash, passages)
        if self._tokens_version is not None:
            put_tokens(self._connection, emb_id, self._tokens_version, tokens)
        rows = list(
            self._connection.execute(
                "UPDATE chunks SET emb_id = ? WHERE hash = ? AND emb_id IS NULL RETURNING id,"
                " (SELECT collection FROM files WHERE files.id = chunks.file_id)",
                (emb_id, item.hash),
            )
        )
        for chunk_id, collection in rows:
            changes.add(chunk_id, collection, vector)
        self.embedded += len(rows)

    def keep_bits(self) -> None:
        """Fix the mean once there are enough vectors, and again whenever their number has grown fourfold."""
        count = count_vectors(self._connection)
        centred_at = get_meta(self._connection, "vec_mean_count") or 0
        if count <= BITS_FROM or (isinstance(centred_at, int) and centred_at and count < 4 * centred_at):
            return
        with writer_lock(self._spec.path, timeout=LOCK_TIMEOUT), transaction(self._connection):
            centre_bits(self._connection, next_generation(self._connection))
