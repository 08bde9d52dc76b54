"""search(): the one place that knows the order of the stages; collects degradations and the explanation."""

from __future__ import annotations

from search.outcome import SearchOutcome
from search.runtime.protocols import Embedder
from search.spec import IndexSpec, SearchRequest


def search(spec: IndexSpec, request: SearchRequest, embedder: Embedder | None) -> SearchOutcome:
    """Answer one request from the index as it stands; never waits for indexing and never writes.

    Any query text is allowed. Parts that are missing degrade and are named in `degraded`; only an index that does
    not exist or cannot be read at all gives `unavailable`.
    """
    raise NotImplementedError
