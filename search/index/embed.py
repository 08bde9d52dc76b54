"""embed_pending(): give waiting chunks their vectors, in slices; the writer lock is never held while a model runs."""

from __future__ import annotations

from search.index.report import EmbedReport, IsCancelled, ReportProgress
from search.runtime.protocols import Embedder
from search.spec import IndexSpec


def embed_pending(
    spec: IndexSpec,
    embedder: Embedder,
    *,
    budget_seconds: float,
    progress: ReportProgress,
    cancelled: IsCancelled,
) -> EmbedReport:
    """Embed until nothing waits or `budget_seconds` have passed; the caller comes back while `pending` > 0.

    Raises `EmbedderUnavailable` when the model cannot answer; everything stored before stays.
    """
    raise NotImplementedError
