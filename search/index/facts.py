"""IndexFacts: what every search needs to know of an index, counted once per generation and not once per search."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from search.index.chunks import count_pending
from search.index.driver import Connection
from search.index.schema import has_table
from search.index.vectors import ActiveModel, active_model

_KEEP = 1_000
_facts: OrderedDict[str, IndexFacts] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """Counts of one generation of one index file. `collections` maps a name to (id, source)."""

    index_id: str
    generation: int
    chunks: int
    pending: int
    words: bool
    complete: bool
    """Whether the files have been gone through once; before that, what is missing may only be late."""
    model: ActiveModel | None
    collections: dict[str, tuple[int, str]] = field(default_factory=dict)


def index_facts(connection: Connection) -> IndexFacts:
    """Call inside the read transaction of the search, so that the facts fit what it reads."""
    rows = connection.execute("SELECT key, value FROM meta WHERE key IN ('index_id', 'generation', 'complete')")
    meta = dict(list(rows))
    index_id, generation = str(meta["index_id"]), int(meta["generation"])
    known = _facts.get(index_id)
    if known is not None and known.generation == generation:
        return known
    facts = IndexFacts(
        index_id=index_id,
        generation=generation,
        chunks=int(connection.execute("SELECT count(*) FROM chunks").get),
        pending=count_pending(connection),
        words=has_table(connection, "chunks_fts"),
        complete=bool(meta.get("complete", 1)),
        model=active_model(connection),
        collections={r[1]: (r[0], r[2]) for r in connection.execute("SELECT id, name, source FROM collections")},
    )
    with _lock:
        _facts[index_id] = facts
        _facts.move_to_end(index_id)
        while len(_facts) > _KEEP:
            _facts.popitem(last=False)
    return facts
