"""Where searches get their embedder from: the doors register one at start, because imports go down only."""

from __future__ import annotations

from collections.abc import Callable

from search.runtime.protocols import Embedder

EmbedderFactory = Callable[[], Embedder | None]


def _none() -> Embedder | None:
    return None


_factory: EmbedderFactory = _none


def set_embedder_factory(factory: EmbedderFactory) -> None:
    """`factory` is called for every search and must be cheap; it returns None when no model is configured."""
    global _factory
    _factory = factory


def get_embedder() -> Embedder | None:
    """The process's embedder; None means searches go by words and say so."""
    return _factory()
