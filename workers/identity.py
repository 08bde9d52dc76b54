"""current_identity(): what the embedder of this process would stamp on vectors, if one can answer now."""

from __future__ import annotations

from agents.embedding import get_embedder
from search.errors import EmbedderUnavailable
from search.spec import EmbeddingIdentity


def current_identity() -> EmbeddingIdentity | None:
    """None while no model is configured or it cannot answer: words are indexed all the same."""
    embedder = get_embedder()
    if embedder is None:
        return None
    try:
        return embedder.identity()
    except EmbedderUnavailable:
        return None
