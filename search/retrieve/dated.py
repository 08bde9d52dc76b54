"""dated_chunks(): the dated notes of the days that a question names, whatever their words are."""

from __future__ import annotations

from collections.abc import Sequence

from search.dates import DateSpan
from search.index.driver import Connection

MOST = 200


def dated_chunks(
    connection: Connection, spans: Sequence[DateSpan], collections: frozenset[int] | None
) -> frozenset[int]:
    """At most `MOST` chunk ids per span, the earliest days first."""
    found: set[int] = set()
    for span in spans:
        rows = connection.execute(
            "SELECT c.id, f.collection FROM files f JOIN chunks c ON c.file_id = f.id"
            " WHERE f.day BETWEEN ? AND ? ORDER BY f.day, c.file_id, c.ord LIMIT ?",
            (span.first.isoformat(), span.last.isoformat(), MOST),
        )
        found |= {chunk_id for chunk_id, collection in rows if collections is None or collection in collections}
    return frozenset(found)
