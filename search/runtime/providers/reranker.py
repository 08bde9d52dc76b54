"""RemoteReranker: `/rerank` endpoints of Cohere, Jina, Voyage and of servers that speak the same."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from search.errors import RerankerUnavailable
from search.runtime.providers.address import Address
from search.runtime.providers.failures import ProviderFailed
from search.runtime.providers.http import Endpoint
from search.runtime.providers.rest import Rest
from search.runtime.providers.vendor import bearer
from search.sentences import sentence

LONGEST_DOCUMENT = 8_000
"""Characters of a document that are sent; what answers a query stands rarely behind them."""
LONGEST_QUERY = 2_000
_SHORTEST = 200


class RemoteReranker:
    """Safe from any number of threads. Scores that are no probabilities (logits) are brought into 0..1."""

    def __init__(self, address: Address, model: str) -> None:
        self._address = address
        self._model = model
        self._endpoint = Endpoint(address, headers=bearer(address.key))
        self._rest = Rest()

    @property
    def name(self) -> str:
        return f"{self._address.provider}:{self._model}"

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> tuple[float, ...]:
        if not documents:
            return ()
        end = time.monotonic() + timeout
        try:
            self._rest.check()
            scores = self._ask(
                _sendable(query, LONGEST_QUERY), [_sendable(d, LONGEST_DOCUMENT) for d in documents], end
            )
        except ProviderFailed as failure:
            self._rest.after(failure)
            raise RerankerUnavailable(
                failure.message, hint=failure.hint, kind=failure.kind, wait_seconds=failure.wait_seconds
            ) from failure
        self._rest.over()
        return tuple(scores if all(0 <= score <= 1 for score in scores) else map(_sigmoid, scores))

    def _ask(self, query: str, documents: list[str], end: float) -> list[float]:
        """Each document is judged by itself, so what is too large in one request goes in two, or shortened."""
        body: dict[str, Any] = {"query": query, "documents": documents}
        if self._model:
            body["model"] = self._model
        body["top_k" if self._address.provider == "voyage" else "top_n"] = len(documents)
        try:
            answer = self._endpoint.post("/rerank", body, end=end, patient=False)
        except ProviderFailed as failure:
            longest = max(map(len, documents))
            if failure.kind != "too_large" or longest < _SHORTEST:
                raise
            middle = len(documents) // 2
            if middle:
                return self._ask(query, documents[:middle], end) + self._ask(query, documents[middle:], end)
            return self._ask(query, [documents[0][: longest // 2]], end)
        try:
            return _scores(answer, len(documents))
        except (KeyError, TypeError, ValueError) as error:
            raise self._endpoint.bad_answer(sentence("the answer does not hold one score per document")) from error


def _scores(answer: Any, count: int) -> list[float]:
    """`results` (Cohere, Jina, llama.cpp), `data` (Voyage) or a bare list; each with `index` and a score."""
    rows = answer if isinstance(answer, list) else answer["results"] if "results" in answer else answer["data"]
    found = {
        int(row["index"]): float(row["relevance_score"] if "relevance_score" in row else row["score"]) for row in rows
    }
    scores = [found[index] for index in range(count)]
    if len(rows) != count or not all(math.isfinite(score) for score in scores):
        raise ValueError("scores are missing or not finite")
    return scores


def _sendable(text: str, longest: int) -> str:
    return text[:longest].encode("utf-8", "replace").decode() or "-"


def _sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-min(max(score, -50.0), 50.0)))
