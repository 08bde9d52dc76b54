"""shared(): bulk embedding with the local model, together with whatever model workers other machines run."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from search.errors import EmbedderUnavailable
from search.runtime.fingerprint import PROVIDER
from search.runtime.protocols import Embedder
from workers.app import app
from workers.model_jobs import ModelJobs
from workers.queued_models import SharedEmbedder
from workers.replies import Replies


def shared(embedder: Embedder) -> tuple[Embedder, int]:
    """The embedder for one bout, and how many slices to have under way.

    A provider's model is not shared: its own limits, not this machine's, decide how fast it goes.
    """
    try:
        if embedder.identity().provider != PROVIDER:
            return embedder, 1
    except EmbedderUnavailable:
        return embedder, 1  # whoever uses it is told why
    together = SharedEmbedder(embedder, model_jobs())
    lanes = together.lanes()
    return (together, lanes) if lanes > 1 else (embedder, 1)


@cache
def model_jobs() -> ModelJobs:
    """This process's way to the model workers."""
    return ModelJobs(app, cache(lambda: Replies(settings.CELERY_BROKER_URL)))
