"""Chunks of transcripts that the asking chat may not see: taken out of the legs before anything is computed of them."""

from __future__ import annotations

from collections.abc import Collection

from search.index.driver import Connection, bind_ids
from search.spec import SessionFilter


def hidden_chunks(connection: Connection, chunk_ids: Collection[int], visible: SessionFilter) -> frozenset[int]:
    """Those of `chunk_ids` that come from a transcript whose conversation is not `visible`."""
    rows = connection.execute(
        "SELECT c.id, f.session FROM carray(?) w JOIN chunks c ON c.id = w.value JOIN files f ON f.id = c.file_id"
        " WHERE f.source = 'sessions'",
        (bind_ids(chunk_ids),),
    )
    known: dict[str, bool] = {}
    hidden = set()
    for chunk_id, session in rows:
        if session not in known:
            known[session] = visible(session)
        if not known[session]:
            hidden.add(chunk_id)
    return frozenset(hidden)
