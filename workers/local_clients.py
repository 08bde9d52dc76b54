"""LocalReranker, LocalGenerator: the models process as the two other protocols, over the same socket."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from search.errors import EmbedderUnavailable, GeneratorUnavailable, RerankerUnavailable
from search.runtime.deadline import Deadline
from search.runtime.protocols import Message, Thinking
from search.sentences import sentence
from workers.client import ModelsClient
from workers.wire import MAX_NEW_TOKENS, MAX_TEXTS, Request

LONGEST_TEXT = 20_000
"""Characters of one document or message that are sent; the model's context ends long before."""


class LocalReranker:
    """`model` "" is the one that is installed."""

    def __init__(self, client: ModelsClient, model: str) -> None:
        self._client = client
        self._model = model

    @property
    def name(self) -> str:
        return f"local:{self._model}" if self._model else "local"

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> tuple[float, ...]:
        scores: list[float] = []
        try:
            deadline = Deadline(timeout)
            for start in range(0, len(documents), MAX_TEXTS - 1):
                portion = [text[:LONGEST_TEXT] for text in documents[start : start + MAX_TEXTS - 1]]
                request = Request("rerank", (query[:LONGEST_TEXT], *portion), deadline.left(), self._model)
                scores += _scores(self._client.ask(request).get("scores"), len(portion))
        except EmbedderUnavailable as error:
            raise RerankerUnavailable(error.message, hint=error.hint) from error
        return tuple(scores)


class LocalGenerator:
    """`model` "" is the one that is installed."""

    def __init__(self, client: ModelsClient, model: str) -> None:
        self._client = client
        self._model = model

    @property
    def name(self) -> str:
        return f"local:{self._model}" if self._model else "local"

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout: float,
        json_schema: Mapping[str, Any] | None = None,
        thinking: Thinking = "off",
    ) -> str:
        request = Request(
            "generate",
            tuple(message.text[:LONGEST_TEXT] for message in messages),
            timeout,
            self._model,
            roles=tuple(message.role for message in messages),
            max_tokens=min(max_tokens, MAX_NEW_TOKENS),
            json_schema=json_schema,
            thinking=thinking,
        )
        try:
            text = self._client.ask(request).get("text")
        except EmbedderUnavailable as error:
            raise GeneratorUnavailable(error.message, hint=error.hint) from error
        if not isinstance(text, str):
            raise GeneratorUnavailable(
                sentence("the models process gave an answer without text"), hint=sentence("Restart the server.")
            )
        return text


def _scores(values: Any, count: int) -> list[float]:
    if (
        not isinstance(values, list)
        or len(values) != count
        or not all(isinstance(value, int | float) and math.isfinite(value) for value in values)
    ):
        raise EmbedderUnavailable(
            sentence("the models process gave no usable scores"), hint=sentence("Restart the server.")
        )
    return [float(value) for value in values]
