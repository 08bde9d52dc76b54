"""lines_at(): what stands at some lines of an index's files now, for whoever kept only their places."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from search.errors import IndexUnavailable
from search.index.pool import reading
from search.spec import IndexSpec

Place = tuple[str, int]
"""Path and 1-based line."""


def line_mark(text: str) -> str:
    """By which a line is known again."""
    return hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()[:16]


def lines_at(spec: IndexSpec, places: Iterable[Place]) -> Mapping[Place, str]:
    """Those that are there, from one state of the index; one look per place."""
    found: dict[Place, str] = {}
    try:
        with reading(spec.path) as connection:
            for path, number in places:
                row = connection.execute(
                    "SELECT c.text, c.start_line FROM chunks c JOIN files f ON f.id = c.file_id"
                    " WHERE f.path = ?1 AND ?2 BETWEEN c.start_line AND c.end_line LIMIT 1",
                    (path, number),
                ).fetchone()
                lines = row[0].split("\n") if row else []
                if row and number - row[1] < len(lines):
                    found[path, number] = lines[number - row[1]].strip()
    except IndexUnavailable:
        return {}
    return found
