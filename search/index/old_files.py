"""old_files(): notes that nobody has touched for long, without those that are of use."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from search.errors import IndexUnavailable
from search.index.pool import reading
from search.spec import IndexSpec

# The day of a dated note is its name's; of every other file it is that of the last change.
_OLD = (
    " FROM (SELECT f.path, coalesce(f.day, date(f.mtime_ns / 1000000000, 'unixepoch')) AS day, f.size"
    "  FROM files f JOIN collections c ON c.id = f.collection"
    "  WHERE c.name IN (SELECT value FROM json_each(?1)) AND f.path NOT IN (SELECT value FROM json_each(?2)))"
    " WHERE day < ?3"
)


@dataclass(frozen=True, slots=True)
class OldFile:
    path: str
    day: str
    size: int


def old_files(spec: IndexSpec, *, before: date, without: Iterable[str], limit: int) -> tuple[tuple[OldFile, ...], int]:
    """The oldest first, and how many there are. None while there is no index."""
    names = json.dumps([collection.name for collection in spec.collections if collection.source == "memory"])
    bound = (names, json.dumps(list(without)), before.isoformat())
    try:
        with reading(spec.path) as connection:
            total = int(connection.execute(f"SELECT count(*) {_OLD}", bound).get)
            rows = list(
                connection.execute(f"SELECT path, day, size {_OLD} ORDER BY day, path LIMIT ?4", (*bound, limit))
            )
    except IndexUnavailable:
        return (), 0
    return tuple(OldFile(*row) for row in rows), total


def indexed_paths(spec: IndexSpec, paths: Iterable[str]) -> frozenset[str]:
    """Those of `paths` that the index knows."""
    try:
        with reading(spec.path) as connection:
            rows = connection.execute(
                "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?))", (json.dumps(list(paths)),)
            )
            return frozenset(path for (path,) in rows)
    except IndexUnavailable:
        return frozenset()
