"""A model worker as the product starts it, with models of our own protocols that answer at once or as slowly as told.

celery -A tests.integration.ladder.word_worker worker …
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from memory_appliance.model_worker import make_app
from search.runtime.protocols import Message, Vectors
from tests.engine import WordEmbedder
from workers.model_worker import Models


class SlowWords(WordEmbedder):
    """A tenth of a second a slice, so that two workers are visibly faster than one."""

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        time.sleep(0.1)
        return super().embed_documents(texts, timeout=timeout)


class SharedWords:
    """Scores a document by the share of the query's words it has."""

    name = "test:words"

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> tuple[float, ...]:
        words = set(query.split())
        return tuple(len(words & set(document.split())) / len(words) for document in documents)


class Sleeper:
    """Sleeps as many seconds as the last message says, then tells its process id."""

    name = "test:sleeper"

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout: float,
        json_schema: Mapping[str, Any] | None = None,
        thinking: str = "off",
    ) -> str:
        time.sleep(float(messages[-1].text))
        return str(os.getpid())


app = make_app(lambda: Models(SlowWords(), lambda _: SharedWords(), lambda _: Sleeper()))
