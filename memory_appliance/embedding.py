"""Gives the rules, which may not import upwards, the clients of the models process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from agents.providers.embedding import set_embedder_factory
from agents.providers.local_models import set_local_models

if TYPE_CHECKING:
    from search.runtime.protocols import Embedder, Generator, Reranker
    from workers.client import ModelsClient


@cache
def models_client(model: str = "") -> ModelsClient:
    """This process's client for one model. It connects when it is first asked, and anew after a fork."""
    from workers.client import ModelsClient  # late: most management commands need neither it nor numpy

    return ModelsClient(Path(settings.MEMORY_SOCKET_DIR) / "models.sock", model=model)


class SocketModels:
    """`LocalModels`: embedding over the socket of the models process; reranking and writing by the model workers of
    any machine, and where none runs over the same socket."""

    def embedder(self, model: str) -> Embedder:
        return models_client(model)

    def reranker(self, model: str) -> Reranker:
        from workers.local_clients import LocalReranker
        from workers.queued_models import QueuedReranker
        from workers.queues import RERANK
        from workers.sharing import model_jobs

        jobs = model_jobs()
        return QueuedReranker(jobs, model) if jobs.offers(RERANK) else LocalReranker(models_client(), model)

    def generator(self, model: str) -> Generator:
        from workers.local_clients import LocalGenerator
        from workers.queued_models import QueuedGenerator
        from workers.queues import GENERATE
        from workers.sharing import model_jobs

        jobs = model_jobs()
        return QueuedGenerator(jobs, model) if jobs.offers(GENERATE) else LocalGenerator(models_client(), model)


def register_embedder() -> None:
    set_embedder_factory(models_client)
    set_local_models(SocketModels())
