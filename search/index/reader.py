"""What can be asked of an index without searching it: its status, its files."""

from __future__ import annotations

from search.index.report import FileEntry, IndexStatus
from search.spec import EmbeddingIdentity, IndexSpec


def index_status(spec: IndexSpec, identity: EmbeddingIdentity | None) -> IndexStatus:
    """Counts, capabilities and problems. A missing index is a status (`exists` False), never an error."""
    raise NotImplementedError


def list_files(spec: IndexSpec, *, limit: int = 10_000, offset: int = 0) -> tuple[FileEntry, ...]:
    """Indexed files and files with problems, by path."""
    raise NotImplementedError
