"""What the index says of itself and of work done on it: frozen values, no behaviour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from search.outcome import Degradation, Problem


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job has come. `total` may grow while the job looks around."""

    done: int
    total: int
    unit: Literal["files", "chunks", "MB"]


ReportProgress = Callable[[Progress], None]
IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """One update: what changed on disk and what now waits for its embedding."""

    scanned: int
    added: int
    changed: int
    removed: int
    chunks_written: int
    pending: int
    problems: int
    wrote: bool
    """False when nothing had changed: then the index file was not written at all."""
    stale: bool = False
    """The vectors are of another identity than the one that is wanted now: the index is to be rebuilt."""
    paths: tuple[str, ...] = ()
    """Of the files that were added, changed or removed."""
    recut: bool = False
    """A collection has gone, or its lines have another origin now: what the paths do not say."""
    unconverted: int = 0
    """Documents that have no text yet: the next update goes on with them."""


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """One bout of embedding: chunks that got their vector, chunks still waiting, chunks the model refused."""

    embedded: int
    pending: int
    refused: int
    reused: int = 0
    """Chunks whose text had a vector already, here or in another agent's index."""


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """One bout of a rebuild: what the new index holds by now. `embedded` counts this bout's vectors alone.

    `switched`: it is of another identity than the index it replaces. `swapped` False: it does not answer yet.
    """

    scanned: int
    chunks: int
    vectors: int
    embedded: int
    pending: int
    problems: int
    switched: bool
    swapped: bool


@dataclass(frozen=True, slots=True)
class CollectionStatus:
    name: str
    files: int
    chunks: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """`capabilities` has `fts`, `vectors` (bool) and `vector_engine` (name)."""

    files: int
    chunks: int
    embedded: int
    pending: int
    fingerprint: str
    capabilities: dict[str, bool | str]
    collections: tuple[CollectionStatus, ...]
    size_bytes: int
    degraded: tuple[Degradation, ...] = ()
    exists: bool = True
    generation: int = 0


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One indexed file as the file list shows it. `modified` is seconds since the epoch."""

    path: str
    collection: str
    size: int
    modified: float
    chunks: int
    docid: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class FileList:
    items: tuple[FileEntry, ...] = field(default=())
