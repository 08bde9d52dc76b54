"""LlamaEmbedder: a GGUF embedding model in this process, with one context for queries and one for bulk."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from search.documents.chunker import CHUNKER_VERSION
from search.errors import EmbedderUnavailable
from search.runtime.checksums import verify_file
from search.runtime.deadline import Deadline
from search.runtime.fingerprint import local_identity
from search.runtime.llama_native import NativeContext, NativeModel
from search.runtime.presets import Preset
from search.runtime.protocols import Vectors
from search.runtime.vectors import unit
from search.runtime.windows import windows
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
            raise EmbedderUnavailable(f"{path.name} makes {self._model.dims} dimensions, expected {preset.dims}")
        size = min(preset.context, LARGEST_CONTEXT, self._model.trained_context)
        self._query = _Lane(NativeContext(self._model, size=size, pooling=preset.pooling, threads=threads))
        self._bulk = _Lane(NativeContext(self._model, size=size, pooling=preset.pooling, threads=threads))

    def identity(self) -> EmbeddingIdentity:
        return self._identity

    @property
    def tokens(self) -> int:
        """Tokens embedded since loading, special ones included."""
        return self._query.tokens + self._bulk.tokens

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        return self._embed(self._query, text, self._preset.query_prompt, Deadline(timeout))

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        deadline = Deadline(timeout)
        vectors = np.empty((len(texts), self._preset.dims), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed(self._bulk, text, self._preset.document_prompt, deadline)
        return vectors

    def _embed(self, lane: _Lane, text: str, prompt: str, deadline: Deadline) -> Vectors:
        """The mean of the text's windows, weighted by their tokens; nearly always there is one window."""
        total = np.zeros(self._preset.dims, dtype=np.float64)
        for tokens, weight in self._sequences(text, prompt, lane.context.size):
            total += weight * lane.embed(tokens, deadline)
        return unit(total)

    def _sequences(self, text: str, prompt: str, size: int) -> list[tuple[list[int], int]]:
        """Token sequences to embed, each with the number of tokens of the text it stands for."""
        model = self._model
        room = size - len(model.head) - len(model.tail)
        whole = model.tokenize(prompt.replace("{text}", text))
        if len(whole) <= room:
            return [([*model.head, *whole, *model.tail], len(whole))]
        before, after = (model.tokenize(part) for part in prompt.split("{text}"))
        pieces = windows(model.tokenize(text), room - len(before) - len(after))
        return [([*model.head, *before, *piece, *after, *model.tail], len(piece)) for piece in pieces]

    def close(self) -> None:
        """Free the model. No other call may be running or follow."""
        self._query.context.close()
        self._bulk.context.close()
        self._model.close()


class _Lane:
    """A context with its lock. The lock is held for one sequence only, so that callers take turns."""

    def __init__(self, context: NativeContext) -> None:
        self.context = context
        self.tokens = 0
        self._lock = threading.Lock()

    def embed(self, tokens: Sequence[int], deadline: Deadline) -> Vectors:
        """Vector of length 1 for one sequence that fits the context."""
        with self._held(deadline):
            vector = self.context.embed(tokens)
            self.tokens += len(tokens)
        return unit(vector)

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
        raise EmbedderUnavailable(f"cannot read the model {path}: {error.strerror}") from error
