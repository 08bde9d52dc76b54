"""rebuild_index(): build a new index beside the live one and swap it in whole; remove_index(): delete one."""

from __future__ import annotations

from pathlib import Path

from search.index.report import IsCancelled, ReportProgress, UpdateReport
from search.spec import EmbeddingIdentity, IndexSpec


def rebuild_index(
    spec: IndexSpec, *, identity: EmbeddingIdentity | None, progress: ReportProgress, cancelled: IsCancelled
) -> UpdateReport:
    """Everything from the files again; cached vectors are reused. Searches keep answering from the old index."""
    raise NotImplementedError


def remove_index(path: Path) -> None:
    """Delete an agent's index file with its side files, under the writer lock."""
    raise NotImplementedError
