"""One client per provider set-up and process: what it has learnt of a failing provider must not be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from search.runtime.providers.address import Address
from search.runtime.providers.choice import ModelChoice
from search.runtime.providers.embedder import RemoteEmbedder
from search.runtime.providers.generator import RemoteGenerator
from search.runtime.providers.reranker import RemoteReranker
from search.runtime.providers.table import EMBEDDING, WRITING

_KEPT = 64
_embedders: dict[tuple[ModelChoice, Address, int | None], RemoteEmbedder] = {}


def remote_embedder(choice: ModelChoice, address: Address, dims: int | None) -> RemoteEmbedder:
    known = (choice, address, dims)
    found = _embedders.get(known)
    if found is None:
        while len(_embedders) >= _KEPT:
            _embedders.pop(next(iter(_embedders)), None)
        found = _embedders.setdefault(
            known, RemoteEmbedder(EMBEDDING[choice.provider], choice.model, address, dims=dims)
        )
    return found


def remote_embedders() -> Iterator[RemoteEmbedder]:
    """Every one that this process has used."""
    yield from tuple(_embedders.values())


@lru_cache(maxsize=_KEPT)
def remote_reranker(choice: ModelChoice, address: Address) -> RemoteReranker:
    return RemoteReranker(address, choice.model)


@lru_cache(maxsize=_KEPT)
def remote_generator(choice: ModelChoice, address: Address) -> RemoteGenerator:
    return RemoteGenerator(address, choice.model, WRITING[choice.provider])
