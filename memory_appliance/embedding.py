"""Gives the rules, which may not import upwards, the client of the models process as their embedder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from agents.embedding import set_embedder_factory, set_former_finder
from search.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from search.runtime.protocols import Embedder
    from search.spec import EmbeddingIdentity
    from workers.client import ModelsClient


@cache
def models_client() -> ModelsClient:
    """This process's client. It connects when it is first asked, and anew after a fork."""
    from workers.client import ModelsClient  # late: most management commands need neither it nor numpy

    return ModelsClient(Path(settings.MEMORY_SOCKET_DIR) / "models.sock")


def register_embedder() -> None:
    set_embedder_factory(models_client)
    set_former_finder(former_embedder)


def former_embedder(identity: EmbeddingIdentity) -> Embedder | None:
    """The local model, where an index that waits for its rebuild was made with it."""
    client = models_client()
    try:
        return client if client.identity().fingerprint == identity.fingerprint else None
    except EmbedderUnavailable:
        return None
