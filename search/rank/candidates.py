"""Candidate: a chunk that a leg found, with what the ranking needs to know of it, and the gateway that reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from search.index.driver import Connection, bind_ids
from search.rank.fusion import Fused
from search.spec import Origin, Source


@dataclass(slots=True)
class Candidate:
    """Filled stage by stage; every number ends up in the explanation."""

    fused: Fused
    file_id: int
    start_line: int
    end_line: int
    importance: int | None
    projects: tuple[str, ...]
    path: str
    collection: int
    source: Source
    day: str | None
    evergreen: bool
    mtime: float
    file_hash: bytes
    origin: Origin
    age_days: float | None = None
    decay: float = 1.0
    importance_factor: float = 1.0
    project_factor: float = 1.0
    date_factor: float = 1.0
    late_score: float | None = None
    """Late interaction's verdict; None where there was none."""
    late_weight: float = 0.0
    relevance: float = 0.0
    """The fused score, or its blend with late interaction's."""
    weighed: float = 0.0
    """relevance · decay · importance · project · date."""
    rerank_score: float | None = None
    rerank_weight: float = 0.0
    score: float = 0.0
    """What decides in the end: `weighed`, or its blend with the reranker's verdict."""
    mmr_penalty: float = 0.0
    text: str = ""


def load_candidates(connection: Connection, fused: Collection[Fused]) -> list[Candidate]:
    """The chunks behind the fused scores, without their texts; those that are gone are left out."""
    wanted = {one.chunk_id: one for one in fused}
    rows = connection.execute(
        "SELECT c.id, c.file_id, c.start_line, c.end_line, c.importance, c.projects, f.path, f.collection, f.source,"
        " f.day, f.evergreen, f.mtime_ns, f.hash, c.origin FROM carray(?) w JOIN chunks c ON c.id = w.value"
        " JOIN files f ON f.id = c.file_id",
        (bind_ids(wanted.keys()),),
    )
    found = []
    for chunk_id, file_id, start, end, importance, projects, *file in rows:
        path, collection, source, day, evergreen, mtime_ns, file_hash, origin = file
        keys = tuple(projects.split("; ")) if projects else ()
        found.append(
            Candidate(
                wanted[chunk_id], file_id, start, end, importance, keys, path, collection, source, day, bool(evergreen),
                mtime_ns / 1e9, file_hash, origin,
            )
        )  # fmt: skip
    return found


def load_texts(connection: Connection, candidates: Iterable[Candidate]) -> None:
    """Fill in the texts of these candidates."""
    wanted = {candidate.fused.chunk_id: candidate for candidate in candidates if not candidate.text}
    if not wanted:
        return
    rows = connection.execute(
        "SELECT c.id, c.text FROM carray(?) w JOIN chunks c ON c.id = w.value", (bind_ids(wanted.keys()),)
    )
    for chunk_id, text in rows:
        wanted[chunk_id].text = text
