"""LlamaReranker: a GGUF cross-encoder in this process: it reads query and document together and gives one score."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path

from search.errors import EmbedderUnavailable, RerankerUnavailable
from search.runtime.checksums import verify_file
from search.runtime.deadline import Deadline
from search.runtime.gguf_header import can_rank
from search.runtime.llama_native import NativeContext, NativeModel
from search.runtime.presets import Preset
from search.sentences import sentence

LARGEST_CONTEXT = 1024
"""Tokens of query and document together: more would take seconds a pair on a home server."""

_LONGEST_QUERY = 256
_TEMPLATE = "rerank"


class LlamaReranker:
    """Safe from any number of threads; they take turns pair by pair. A document that is too long is cut."""

    def __init__(self, path: Path, preset: Preset, *, threads: int = 1) -> None:
        """Raises `EmbedderUnavailable` when the file is damaged, or is none that ranks."""
        if preset.sha256 is not None:
            verify_file(path, preset.sha256)
        self.name = f"local:{preset.id}"
        if not can_rank(path):
            raise EmbedderUnavailable(
                sentence("{name} is no reranking model", name=path.name), hint=sentence("It has no output for a score.")
            )
        self._model = NativeModel(path)
        size = min(preset.context or LARGEST_CONTEXT, LARGEST_CONTEXT, self._model.trained_context)
        self._context = NativeContext(self._model, size=size, pooling="rank", threads=threads)
        self._template = self._model.template(_TEMPLATE)
        self._lock = threading.Lock()

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> tuple[float, ...]:
        try:
            deadline = Deadline(timeout)
            asked = self._model.tokenize(query)[: min(_LONGEST_QUERY, self._context.size // 2)]
            return tuple(self._score(asked, document, deadline) for document in documents)
        except EmbedderUnavailable as error:
            raise RerankerUnavailable(error.message.replace("embedding", "reranking"), hint=error.hint) from error

    def _score(self, query: Sequence[int], document: str, deadline: Deadline) -> float:
        tokens = self._pair(query, self._model.tokenize(document))
        if not self._lock.acquire(timeout=deadline.left()):
            raise deadline.passed()
        try:
            score = self._context.score(tokens)
        finally:
            self._lock.release()
        if not math.isfinite(score):
            raise EmbedderUnavailable(
                sentence("the reranking model gave no finite score"), hint=sentence("Its file may be damaged.")
            )
        # Models with a template answer yes or no and give the share of yes; the others give a logit.
        return min(max(score, 0.0), 1.0) if self._template else 1 / (1 + math.exp(-min(max(score, -50.0), 50.0)))

    def _pair(self, query: Sequence[int], document: Sequence[int]) -> list[int]:
        model = self._model
        if self._template:
            before, between, after = self._template_parts()
        else:
            before, between, after = [*model.head], [*model.tail, *model.separator], [*model.tail]
        room = self._context.size - len(before) - len(query) - len(between) - len(after)
        return [*before, *query, *between, *document[: max(0, room)], *after]

    def _template_parts(self) -> tuple[list[int], list[int], list[int]]:
        """The template's own words; the two texts are tokenized apart, so that nothing in them counts as a sign."""
        before, _, rest = self._template.partition("{query}")
        between, _, after = rest.partition("{document}")
        return tuple(self._model.tokenize(part, special=True) for part in (before, between, after))  # type: ignore[return-value] # three parts

    def close(self) -> None:
        """Free the model. No other call may be running or follow."""
        self._context.close()
        self._model.close()
