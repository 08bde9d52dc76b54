"""trigger_index(): the triggers of an agent's curated files, read again only when one of these files has changed."""

from __future__ import annotations

from search.index.driver import Connection
from search.index.schema import get_meta
from search.recall.outcome import Source
from search.recall.triggers import TriggeredEntry, TriggerIndex
from search.runtime.cache import LruCache
from search.spec import IndexSpec

_KEEP = 500
CuratedState = tuple[tuple[str, bytes, float], ...]
_indexes: LruCache[str, tuple[CuratedState, TriggerIndex]] = LruCache(_KEEP)


def trigger_index(connection: Connection, spec: IndexSpec) -> TriggerIndex:
    """Call inside a read transaction on the agent's index."""
    index_id, state = curated_state(connection, spec)
    known = _indexes.get(index_id)
    if known is not None and known[0] == state:
        return known[1]
    index = TriggerIndex(entries_with_triggers(connection, spec))
    _indexes.put(index_id, (state, index))
    return index


def curated_state(connection: Connection, spec: IndexSpec) -> tuple[str, CuratedState]:
    """The index's own id, and what changes whenever a curated file does."""
    paths, marks = _curated(spec)
    rows = connection.execute(
        f"SELECT path, hash, indexed_at FROM files WHERE path IN ({marks}) ORDER BY path",  # noqa: S608
        paths,
    )
    return str(get_meta(connection, "index_id")), tuple(rows)


def entries_with_triggers(connection: Connection, spec: IndexSpec, *, heeded: bool = True) -> list[TriggeredEntry]:
    """In the order of files and lines; not `heeded`: those of other origins, whose triggers call nothing up."""
    paths, marks = _curated(spec)
    rows = connection.execute(
        "SELECT f.path, c.start_line, c.end_line, c.text, c.triggers, c.projects, c.importance"  # noqa: S608
        f" FROM files f JOIN chunks c ON c.file_id = f.id WHERE f.path IN ({marks}) AND c.triggers <> ''"
        f" AND c.origin {'' if heeded else 'NOT '}IN ('owner', 'agent')"
        " ORDER BY f.path, c.ord",
        paths,
    )
    return [
        TriggeredEntry(
            Source(path, start, end),
            text,
            tuple(triggers.split("; ")),
            frozenset(projects.split("; ")) if projects else frozenset(),
            importance,
        )
        for path, start, end, text, triggers, projects, importance in rows
    ]


def _curated(spec: IndexSpec) -> tuple[list[str], str]:
    """Paths of the curated files, and as many question marks."""
    paths = [f"{own.prefix}{name}" for own in spec.collections if not own.prefix for name in own.curated]
    return paths, ", ".join("?" * len(paths))
