"""LlamaEmbedder: a GGUF embedding model in this process, with one context for queries and one for bulk."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from search.documents.chunker import CHUNKER_VERSION
from search.errors import EmbedderUnavailable
from search.runtime.checksums import verify_file
from search.runtime.deadline import Deadline
from search.runtime.fingerprint import local_identity
from search.runtime.llama_native import NativeContext, NativeModel
from search.runtime.presets import Preset
from search.runtime.protocols import Bits, QueryTokens, Vectors
from search.runtime.tokens import says_something, token_vectors
from search.runtime.vectors import unit
from search.runtime.windows import windows
from search.sentences import sentence
from search.spec import EmbeddingIdentity

LARGEST_CONTEXT = 2048
"""Tokens; models trained on more are used with windows of this size, to bound memory and the time of one call."""


class LlamaEmbedder:
    """Embeds through llama.cpp; safe from any number of threads.

    A query waits for other queries at most, never for bulk. The model file is verified before it is loaded when
    the preset has a checksum. Load only in a process that will not fork afterwards.
    """

    def __init__(self, path: Path, preset: Preset, *, threads: int = 1, chunker_version: int = CHUNKER_VERSION) -> None:
        """Loads for about two seconds; the vocabulary takes about 0.5 GB. Raises `EmbedderUnavailable`."""
        if preset.role != "embed":
            raise ValueError(f"{preset.id} is not an embedding model")
        if preset.sha256 is not None:
            _verify(path, preset.sha256)
        self._preset = preset
        self._identity = local_identity(preset, chunker_version=chunker_version)
        self._model = NativeModel(path)
        if self._model.dims != preset.dims:
            self._model.close()
            raise EmbedderUnavailable(
                sentence(
                    "{name} makes {dims} dimensions, expected {dims_2}",
                    name=path.name,
                    dims=self._model.dims,
                    dims_2=preset.dims,
                )
            )
        size = min(preset.context, LARGEST_CONTEXT, self._model.trained_context)
        self._tokens = token_vectors(preset.id)
        # Without pooling the model gives a vector for each token; their mean, made here, is what pooling would give.
        self._query = self._lane(size, threads)
        self._bulk = self._lane(size, threads)

    def _lane(self, size: int, threads: int) -> _Lane:
        pooled = self._preset.late is None
        pooling = self._preset.pooling if pooled else "none"
        return _Lane(NativeContext(self._model, size=size, pooling=pooling, threads=threads), pooled=pooled)

    def identity(self) -> EmbeddingIdentity:
        return self._identity

    @property
    def tokens(self) -> int:
        """Tokens embedded since loading, special ones included."""
        return self._query.tokens + self._bulk.tokens

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        return self.embed_query_with_tokens(text, timeout=timeout)[0]

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return self.embed_documents_with_tokens(texts, timeout=timeout)[0]

    def embed_query_with_tokens(self, text: str, *, timeout: float) -> tuple[Vectors, QueryTokens | None]:
        vector, done = self._embed(self._query, text, self._preset.query_prompt, Deadline(timeout))
        if self._tokens is None:
            return vector, None
        rows, pieces = self._of_text(done)
        return vector, QueryTokens(pieces, self._tokens.of_query(rows))

    def embed_documents_with_tokens(
        self, texts: Sequence[str], *, timeout: float
    ) -> tuple[Vectors, tuple[Bits, ...] | None]:
        deadline = Deadline(timeout)
        vectors = np.empty((len(texts), self._preset.dims), dtype=np.float32)
        bits = []
        for row, text in enumerate(texts):
            vectors[row], done = self._embed(self._bulk, text, self._preset.document_prompt, deadline)
            if self._tokens is not None:
                bits.append(self._tokens.of_document(*self._of_text(done)))
        return vectors, None if self._tokens is None else tuple(bits)

    def token_vectors(self, text: str, *, query: bool) -> Vectors:
        """The vectors of the text's tokens that say something, as the model gives them: what constants are made of."""
        prompt = self._preset.query_prompt if query else self._preset.document_prompt
        _, done = self._embed(self._bulk, text, prompt, Deadline(60.0))
        rows, pieces = self._of_text(done)
        return rows[[says_something(piece) for piece in pieces]]

    def _embed(self, lane: _Lane, text: str, prompt: str, deadline: Deadline) -> tuple[Vectors, list[_Window]]:
        """The mean of the text's windows, weighted by their tokens; nearly always there is one window."""
        total = np.zeros(self._preset.dims, dtype=np.float64)
        done = []
        for tokens, of_text in self._sequences(text, prompt, lane.context.size):
            vector, rows = lane.embed(tokens, deadline)
            total += max(1, of_text.stop - of_text.start) * vector
            done.append(_Window(tokens[of_text], None if rows is None else rows[of_text]))
        return unit(total), done

    def _of_text(self, done: Sequence[_Window]) -> tuple[Vectors, tuple[str, ...]]:
        """The tokens' vectors, shape (n, dims), and how the vocabulary writes them."""
        pieces = tuple(self._model.piece(token) for window in done for token in window.tokens)
        return np.concatenate([window.rows for window in done if window.rows is not None]), pieces

    def _sequences(self, text: str, prompt: str, size: int) -> list[tuple[list[int], slice]]:
        """Token sequences to embed, each with the place of the text's own tokens in it."""
        model = self._model
        room = size - len(model.head) - len(model.tail)
        whole = model.tokenize(prompt.replace("{text}", text))
        before, after = prompt.split("{text}")
        if len(whole) <= room:
            # The space before the text belongs to its first word.
            start = len(model.head) + len(model.tokenize(before.rstrip()) if before else ())
            stop = len(model.head) + len(whole) - len(model.tokenize(after) if after else ())
            return [([*model.head, *whole, *model.tail], slice(min(start, stop), stop))]
        head = [*model.head, *model.tokenize(before)]
        tail = [*model.tokenize(after), *model.tail]
        pieces = windows(model.tokenize(text), size - len(head) - len(tail))
        return [([*head, *piece, *tail], slice(len(head), len(head) + len(piece))) for piece in pieces]

    def close(self) -> None:
        """Free the model. No other call may be running or follow."""
        self._query.context.close()
        self._bulk.context.close()
        self._model.close()


class _Window(NamedTuple):
    """A part of a text, embedded: its tokens and, of a context without pooling, their vectors."""

    tokens: list[int]
    rows: Vectors | None


class _Lane:
    """A context with its lock. The lock is held for one sequence only, so that callers take turns."""

    def __init__(self, context: NativeContext, *, pooled: bool) -> None:
        self.context = context
        self.tokens = 0
        self._pooled = pooled
        self._lock = threading.Lock()

    def embed(self, tokens: Sequence[int], deadline: Deadline) -> tuple[Vectors, Vectors | None]:
        """Vector of length 1 for one sequence that fits the context, and without pooling those of its tokens."""
        with self._held(deadline):
            self.tokens += len(tokens)
            if self._pooled:
                return unit(self.context.embed(tokens)), None
            rows = self.context.embed_each(tokens)
        return unit(rows.mean(axis=0)), rows

    @contextmanager
    def _held(self, deadline: Deadline) -> Iterator[None]:
        if not self._lock.acquire(timeout=deadline.left()):
            raise deadline.passed()
        try:
            yield
        finally:
            self._lock.release()


def _verify(path: Path, sha256: str) -> None:
    try:
        verify_file(path, sha256)
    except OSError as error:
        raise EmbedderUnavailable(
            sentence("cannot read the model {path}: {strerror}", path=path, strerror=error.strerror)
        ) from error
