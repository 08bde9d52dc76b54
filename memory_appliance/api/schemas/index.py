"""An agent's index as the API shows it: its status and its files."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from agents.context import near_limits
from agents.core.moments import moment_of
from agents.models import Agent
from memory_appliance.api.schemas.base import Answer
from memory_appliance.api.schemas.search import DegradationAnswer
from search.index.report import FileEntry, IndexStatus


class Capabilities(Answer):
    fts: bool
    vectors: bool
    vector_engine: str


class ProblemAnswer(Answer):
    """A file or folder that was skipped, and why."""

    path: str
    problem: str


class CollectionStatusAnswer(Answer):
    name: str
    files: int
    chunks: int
    problems: list[ProblemAnswer]


class StatusAnswer(Answer):
    """`pending`: chunks whose vectors are still to be made."""

    files: int
    chunks: int
    embedded: int
    pending: int
    last_update: datetime | None
    last_error: str | None
    fingerprint: str
    capabilities: Capabilities
    collections: list[CollectionStatusAnswer]
    size_bytes: int
    degraded: list[DegradationAnswer]
    exists: bool
    warnings: list[str] = Field(description="Curated files that are near, or over, what a new chat gets of them.")


class FileAnswer(Answer):
    path: str
    collection: str
    size: int
    modified: datetime
    chunks: int
    docid: str
    problem: str | None = None


class FilesAnswer(Answer):
    items: list[FileAnswer]


def status_answer(agent: Agent, status: IndexStatus) -> StatusAnswer:
    return StatusAnswer(
        files=status.files,
        chunks=status.chunks,
        embedded=status.embedded,
        pending=status.pending,
        last_update=agent.last_update_at,
        last_error=agent.last_error or None,
        fingerprint=status.fingerprint,
        capabilities=Capabilities.model_validate(status.capabilities),
        collections=[
            CollectionStatusAnswer(
                name=collection.name,
                files=collection.files,
                chunks=collection.chunks,
                problems=[ProblemAnswer(path=item.path, problem=item.problem) for item in collection.problems],
            )
            for collection in status.collections
        ],
        size_bytes=status.size_bytes,
        degraded=[DegradationAnswer(code=item.code, detail=item.detail) for item in status.degraded],
        exists=status.exists,
        warnings=near_limits(agent),
    )


def file_answer(entry: FileEntry) -> FileAnswer:
    return FileAnswer(
        path=entry.path,
        collection=entry.collection,
        size=entry.size,
        modified=moment_of(entry.modified),
        chunks=entry.chunks,
        docid=entry.docid,
        problem=entry.problem,
    )
