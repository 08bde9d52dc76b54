"""update_index(): bring one agent's index in line with its files, changed files only."""

from __future__ import annotations

from search.index.report import IsCancelled, ReportProgress, UpdateReport
from search.spec import EmbeddingIdentity, IndexSpec


def update_index(
    spec: IndexSpec,
    *,
    identity: EmbeddingIdentity | None,
    progress: ReportProgress,
    cancelled: IsCancelled,
    lock_timeout: float = 0.0,
) -> UpdateReport:
    """Scan, compare, cut and write; one transaction per about 512 chunks of whole files.

    Takes the agent's writer lock: raises `IndexBusy` when another process holds it longer than `lock_timeout` s.
    Raises `Cancelled` between files. One bad file never stops the rest: it becomes a problem in the status.
    """
    raise NotImplementedError
