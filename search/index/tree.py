"""list_folder() and find_names(): an agent's files as folders, one at a time, from the index and not the disk."""

from __future__ import annotations

import json
from dataclasses import dataclass

from search.errors import IndexUnavailable
from search.index.pool import reading
from search.index.report import FileEntry
from search.sentences import unpacked
from search.spec import IndexSpec

MOST_FOLDERS = 500

# Indexed files, and files that could not be indexed, of the collections in ?1.
_ENTRIES = """
WITH entries AS (
 SELECT f.path, c.name AS collection, f.size, f.mtime_ns / 1e9 AS modified, f.id, f.hash, f.day,
  nullif(f.note, '') AS problem
  FROM files f JOIN collections c ON c.id = f.collection
 UNION ALL SELECT p.path, p.collection, 0, 0, NULL, NULL, NULL, p.problem FROM problems p
  WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.path = p.path)
), mine AS (SELECT * FROM entries WHERE collection IN (SELECT value FROM json_each(?1)))
"""
_FILE = (
    "SELECT path, collection, size, modified, (SELECT count(*) FROM chunks k WHERE k.file_id = mine.id), hash, problem"
    " FROM mine "
)
# From ?2 up to ?3 lies what begins with the folder; what of a path is behind that begins at character ?4.
_BELOW = _ENTRIES + (  # noqa: S608 - constants of this file
    "SELECT substr(rest, 1, instr(rest, '/') - 1) AS name, count(*)"
    " FROM (SELECT substr(path, ?4) AS rest FROM mine WHERE path >= ?2 AND path < ?3)"
    " WHERE instr(rest, '/') > 0 GROUP BY name ORDER BY name LIMIT ?5"
)
_HERE = "WHERE path >= ?2 AND path < ?3 AND instr(substr(path, ?4), '/') = 0"
_COUNT = _ENTRIES + "SELECT count(*) FROM mine " + _HERE  # noqa: S608
_FILES = _ENTRIES + _FILE + _HERE + " ORDER BY day IS NOT NULL, day DESC, path LIMIT ?5 OFFSET ?6"
_LACKS_A_WORD = "SELECT 1 FROM json_each(?2) w WHERE instr(lower(mine.path), lower(w.value)) = 0"
_NAMED = f"{_ENTRIES} {_FILE} WHERE NOT EXISTS ({_LACKS_A_WORD}) ORDER BY path LIMIT ?3"
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class SubFolder:
    """A folder within another; `files` counts all below it."""

    path: str
    name: str
    files: int


@dataclass(frozen=True, slots=True)
class Folder:
    """What lies directly in one folder. `total` counts its files, of which `files` may be a part."""

    path: str
    folders: tuple[SubFolder, ...] = ()
    files: tuple[FileEntry, ...] = ()
    total: int = 0
    exists: bool = True


def list_folder(spec: IndexSpec, path: str = "", *, limit: int = 200, offset: int = 0) -> Folder:
    """`path` as users see it, "" for the top. Files without a day come first, then the newest days.

    `exists` is False where there is no index yet.
    """
    start = f"{path}/" if path else ""
    names = json.dumps([collection.name for collection in spec.collections])
    end = f"{path}0" if path else _LAST  # "0" is the sign after "/"
    bounds = (names, start, end, len(start) + 1)
    try:
        with reading(spec.path) as connection:
            folders = list(connection.execute(_BELOW, (*bounds, MOST_FOLDERS)))
            total = int(connection.execute(_COUNT, bounds).get)
            files = list(connection.execute(_FILES, (*bounds, limit, offset)))
    except IndexUnavailable:
        return Folder(path, exists=False)
    return Folder(
        path,
        tuple(SubFolder(start + name, name, count) for name, count in folders),
        tuple(_entry(*row) for row in files),
        total,
    )


def find_names(spec: IndexSpec, words: str, *, limit: int = 200) -> tuple[FileEntry, ...]:
    """Files whose path holds every word of `words`, by path; capitals of Latin letters do not count."""
    names = json.dumps([collection.name for collection in spec.collections])
    wanted = json.dumps(words.split())
    try:
        with reading(spec.path) as connection:
            rows = connection.execute(_NAMED, (names, wanted, limit))
            return tuple(_entry(*row) for row in rows)
    except IndexUnavailable:
        return ()


def _entry(
    path: str, collection: str, size: int, modified: float, chunks: int, digest: bytes | None, problem: str | None
) -> FileEntry:
    told = unpacked(problem) if problem else None
    return FileEntry(path, collection, size, modified, chunks, f"#{digest.hex()[:6]}" if digest else "", told)
