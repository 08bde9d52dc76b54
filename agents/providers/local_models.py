"""Where the rules get this server's own models from: the doors register them at start, because imports go down only."""

from __future__ import annotations

from typing import Protocol

from search.errors import GeneratorUnavailable, RerankerUnavailable
from search.runtime.protocols import Embedder, Generator, Reranker
from search.sentences import sentence

_HINT = sentence("Start the server.")


class LocalModels(Protocol):
    """Clients of the models process. `model` is a registry id, `hf:repo/file` or a path; "" is the process's own."""

    def embedder(self, model: str) -> Embedder | None: ...

    def reranker(self, model: str) -> Reranker: ...

    def generator(self, model: str) -> Generator: ...


class _NoLocalModels:
    """Of a process that registered none: searches go by words."""

    def embedder(self, model: str) -> Embedder | None:
        return None

    def reranker(self, model: str) -> Reranker:
        raise RerankerUnavailable(sentence("this process has no local models"), hint=_HINT)

    def generator(self, model: str) -> Generator:
        raise GeneratorUnavailable(sentence("this process has no local models"), hint=_HINT)


_models: LocalModels = _NoLocalModels()


def set_local_models(models: LocalModels) -> None:
    global _models
    _models = models


def local_models() -> LocalModels:
    return _models
