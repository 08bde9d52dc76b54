"""Where searches get their embedder from: the doors register one at start, because imports go down only."""

from __future__ import annotations

from collections.abc import Callable

from search.runtime.protocols import Embedder
from search.spec import EmbeddingIdentity

EmbedderFactory = Callable[[], Embedder | None]
FormerFinder = Callable[[EmbeddingIdentity], Embedder | None]


def _none() -> Embedder | None:
    return None


def _no_former(_: EmbeddingIdentity) -> Embedder | None:
    return None


_factory: EmbedderFactory = _none
_former: FormerFinder = _no_former


def set_embedder_factory(factory: EmbedderFactory) -> None:
    """`factory` is called for every search and must be cheap; it returns None when no model is configured."""
    global _factory
    _factory = factory


def get_embedder() -> Embedder | None:
    """The process's embedder; None means searches go by words and say so."""
    return _factory()


def set_former_finder(finder: FormerFinder) -> None:
    """`finder` must be cheap too: it is asked by every search while an index waits for its rebuild."""
    global _former
    _former = finder


def find_former(identity: EmbeddingIdentity) -> Embedder | None:
    """An embedder that gives vectors of this identity although another one is configured; None when none does."""
    return _former(identity)
