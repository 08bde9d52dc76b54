"""Gateway of files, collections and problems: what was on disk when the index last looked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from search.index.driver import Connection
from search.outcome import Problem
from search.sentences import packed, unpacked
from search.spec import CollectionSpec


class KnownFile(NamedTuple):
    """A file as the index knows it. `stamp` is (mtime_ns, size, inode)."""

    id: int
    stamp: tuple[int, int, int]
    hash: bytes
    indexed_at: float

    def looks_unchanged(self, stamp: tuple[int, int, int]) -> bool:
        """Same stamp, and written long enough before it was read that a second write would show in the time."""
        return self.stamp == stamp and stamp[0] < (self.indexed_at - 2.0) * 1e9


class NewFile(NamedTuple):
    """What an update found out about a file it read."""

    rel: str
    path: str
    stamp: tuple[int, int, int]
    hash: bytes
    title: str
    day: str | None
    evergreen: bool
    note: str
    indexed_at: float
    session: str = ""


def known_collections(connection: Connection) -> dict[str, tuple[int, str]]:
    """Name → (id, source)."""
    return {row[1]: (row[0], row[2]) for row in connection.execute("SELECT id, name, source FROM collections")}


def ensure_collection(connection: Connection, spec: CollectionSpec) -> int:
    """The collection's id in this index, made or brought up to date."""
    row = connection.execute(
        "INSERT INTO collections(name, source) VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET source = ?2 RETURNING id",
        (spec.name, spec.source),
    ).get
    connection.execute("UPDATE files SET source = ?1 WHERE collection = ?2 AND source <> ?1", (spec.source, row))
    return int(row)


def known_origins(connection: Connection) -> dict[str, str]:
    """Name → the origin of its lines without a record, as the last whole update took it; not those never finished."""
    return dict(list(connection.execute("SELECT name, origin FROM collections WHERE origin <> ''")))


def set_origin(connection: Connection, spec: CollectionSpec) -> None:
    connection.execute("UPDATE collections SET origin = ? WHERE name = ?", (spec.origin, spec.name))


def known_files(connection: Connection, collection: int) -> dict[str, KnownFile]:
    """Every file of a collection by its root-relative path."""
    rows = connection.execute(
        "SELECT rel, id, mtime_ns, size, inode, hash, indexed_at FROM files WHERE collection = ?", (collection,)
    )
    return {row[0]: KnownFile(row[1], (row[2], row[3], row[4]), row[5], row[6]) for row in rows}


def known_file(connection: Connection, collection: int, rel: str) -> KnownFile | None:
    """One file of a collection."""
    row = connection.execute(
        "SELECT id, mtime_ns, size, inode, hash, indexed_at FROM files WHERE collection = ? AND rel = ?",
        (collection, rel),
    ).fetchone()
    return None if row is None else KnownFile(row[0], (row[1], row[2], row[3]), row[4], row[5])


def put_file(connection: Connection, collection: int, source: str, file: NewFile) -> int:
    """Insert or update one file's row and answer its id.

    In two plain statements: an upsert that returns something has a savepoint of its own, and at each savepoint FTS5
    writes down what it holds, as a segment to be merged later.
    """
    values = (
        file.path, *file.stamp, file.hash, file.title, file.day, int(file.evergreen), file.note, file.indexed_at,
        file.session, collection, file.rel,
    )  # fmt: skip
    connection.execute(
        "UPDATE files SET path = ?, mtime_ns = ?, size = ?, inode = ?, hash = ?, title = ?, day = ?, evergreen = ?,"
        " note = ?, indexed_at = ?, session = ? WHERE collection = ? AND rel = ?",
        values,
    )
    if connection.changes():
        return int(
            connection.execute("SELECT id FROM files WHERE collection = ? AND rel = ?", (collection, file.rel)).get
        )
    connection.execute(
        "INSERT INTO files(path, mtime_ns, size, inode, hash, title, day, evergreen, note, indexed_at, session,"
        " collection, rel, source) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, source),
    )
    return connection.last_insert_rowid()


def touch_file(connection: Connection, file_id: int, stamp: tuple[int, int, int], indexed_at: float) -> None:
    """The bytes are the same, only the stamp moved."""
    connection.execute(
        "UPDATE files SET mtime_ns = ?, size = ?, inode = ?, indexed_at = ? WHERE id = ?", (*stamp, indexed_at, file_id)
    )


def known_problems(connection: Connection) -> dict[str, set[Problem]]:
    """Collection name → its problems at the last look."""
    found: dict[str, set[Problem]] = {}
    for collection, path, problem in connection.execute("SELECT collection, path, problem FROM problems"):
        found.setdefault(collection, set()).add(Problem(path, unpacked(problem)))
    return found


def replace_problems(connection: Connection, collection: str, problems: Iterable[Problem]) -> None:
    connection.execute("DELETE FROM problems WHERE collection = ?", (collection,))
    connection.executemany(
        "INSERT INTO problems(collection, path, problem) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
        ((collection, problem.path, packed(problem.problem)) for problem in problems),
    )
