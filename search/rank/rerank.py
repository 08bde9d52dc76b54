"""rerank(): a model reads the best passages beside the query; its verdict is blended in, within the time there is."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from search.errors import RerankerUnavailable
from search.runtime.cache import LruCache
from search.runtime.protocols import Reranker
from search.sentences import sentence

JUDGED = 20
"""Best candidates that are judged, best first."""
BATCH = 4
"""Documents per call: small enough to stop in time, large enough to share the cost of a call."""

_verdicts: LruCache[tuple[str, str, bytes], float] = LruCache(20_000)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Scores of 0..1 by position; `missing` says why some have none, "" when all were judged."""

    scores: dict[int, float]
    missing: str = ""


def judge(query: str, texts: Sequence[str], reranker: Reranker, *, seconds: float) -> Verdicts:
    """As many of `texts` as fit into `seconds`, in order. Only real verdicts are remembered, never fallback values."""
    end = time.monotonic() + seconds
    keys = [(reranker.name, query, hashlib.sha256(text.encode("utf-8", "replace")).digest()) for text in texts]
    scores = {place: known for place, key in enumerate(keys) if (known := _verdicts.get(key)) is not None}
    open_places = [place for place in range(len(texts)) if place not in scores]
    for start in range(0, len(open_places), BATCH):
        batch = open_places[start : start + BATCH]
        left = end - time.monotonic()
        if left <= 0:
            return Verdicts(
                scores,
                sentence("{count} of {count_2} passages were judged in time", count=len(scores), count_2=len(texts)),
            )
        try:
            given = reranker.rerank(query, [texts[place] for place in batch], timeout=left)
        except RerankerUnavailable as error:
            return Verdicts(
                scores,
                sentence(
                    "{count} of {count_2} passages were judged: {advice}",
                    count=len(scores),
                    count_2=len(texts),
                    advice=error.advice(),
                ),
            )
        for place, score in zip(batch, given, strict=True):
            scores[place] = score
            _verdicts.put(keys[place], score)
    return Verdicts(scores)


def verdict_weight(place: int) -> float:
    """The verdict weighs half for the first three, more further down, so that a sure reranker overturns rank 1."""
    return 0.5 if place < 3 else 0.6 if place < 10 else 0.7
