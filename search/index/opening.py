"""open_index(): a writable index that is whole, whatever happened to the file before.

An index is derived, so a file that cannot be used is kept aside and made again; it is never a reason to stop.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from search.documents.terms import TERMS_VERSION
from search.errors import IndexDamaged, IndexUnavailable
from search.index import driver
from search.index.damage import damage_mark, is_damaged, mark_damaged
from search.index.driver import Connection, capabilities, open_writer, transaction
from search.index.schema import SCHEMA_VERSION, create_schema, get_meta, has_table, set_meta
from search.sentences import sentence

log = logging.getLogger(__name__)

SIDE_FILES = ("", "-wal", "-shm")
BUILD_SUFFIX = ".build"
"""Of an index that is built beside the live one."""


def open_index(path: Path, *, remake: bool = True) -> Connection:
    """Open for writing under the writer lock; made new when missing, damaged, or of another schema or term version.

    Raises `IndexUnavailable` when the folder cannot be written or the disk is full, and `IndexDamaged` instead of
    making it new when `remake` is False: an index made new is empty until its files are read again.
    """
    with _in_words(path):
        try:
            if is_damaged(path):
                return _start_over(path, "a damaged page was met") if remake else _refuse(path, None)
            return _open_checked(path)
        except driver.CorruptErrors as error:
            return _start_over(path, str(error)) if remake else _refuse(path, error)


@contextmanager
def writing(path: Path, *, remake: bool = True) -> Iterator[Connection]:
    """`open_index` for the length of a block, whose errors are told in words too.

    Raises `IndexDamaged` when a damaged page is met; the next update makes the index new.
    """
    connection = open_index(path, remake=remake)
    try:
        with _in_words(path):
            yield connection
    except driver.CorruptErrors as error:
        mark_damaged(path, error)
        _refuse(path, error)
    finally:
        connection.close()


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except driver.ReadOnlyErrors as error:
        raise IndexUnavailable(
            sentence("the index {path} cannot be written: {error}", path=path, error=error),
            hint=sentence("Check who owns the folder and that it is not read-only."),
        ) from error
    except driver.FullErrors as error:
        raise IndexUnavailable(
            sentence("the index {path} cannot be written: {error}", path=path, error=error),
            hint=sentence("Free some disk space."),
        ) from error


def _refuse(path: Path, error: Exception | None) -> NoReturn:
    raise IndexDamaged(
        sentence("the index {name} is damaged", name=path.name),
        hint=sentence("The next update makes it again by itself."),
    ) from error


def _open_checked(path: Path) -> Connection:
    connection = open_writer(path)
    try:
        if not has_table(connection, "meta"):
            with transaction(connection):
                create_schema(connection)
        elif not _current(connection):
            connection.close()
            return _start_over(path, "made by another version")
    except BaseException:
        connection.close()
        raise
    return connection


def _start_over(path: Path, reason: str) -> Connection:
    aside = set_aside(path, reason)
    connection = _open_checked(path)
    seed_cache(connection, aside)
    return connection


SEED_ROWS = 2_000
"""Vectors taken over per transaction: a damaged page costs its neighbours, not all of them."""


def seed_cache(connection: Connection, source: Path) -> None:
    """Take over every vector that another index file of the same agent holds, as far as it can be read.

    What was taken over before from the same file is not looked at again. A full disk is an error all the same.
    """
    if not source.exists():
        return
    try:
        connection.execute("ATTACH ? AS source", (str(source),))
        _seed(connection)
    except driver.DiskFullError:
        raise
    except driver.DatabaseError as error:
        log.warning("vectors could not be taken over and will be made again", extra={"reason": str(error)})
    finally:
        if any(row[1] == "source" for row in connection.execute("PRAGMA database_list")):
            connection.execute("DETACH source")


def _seed(connection: Connection) -> None:
    name = connection.execute("SELECT value FROM source.meta WHERE key = 'index_id'").get
    newest = int(connection.execute("SELECT coalesce(max(id), 0) FROM source.embedding_cache").get)
    known, _, seen = str(get_meta(connection, "seeded") or "").partition(":")
    since = int(seen) if known == name else 0
    if since >= newest:
        return
    connection.execute(
        "INSERT OR IGNORE INTO models(fingerprint, provider, model, dims)"
        " SELECT fingerprint, provider, model, dims FROM source.models"
    )
    with_tokens = connection.execute("SELECT 1 FROM source.sqlite_schema WHERE name = 'chunk_tokens'").get is not None
    for start in range(since, newest, SEED_ROWS):
        try:
            with transaction(connection):
                connection.execute(
                    "INSERT OR IGNORE INTO embedding_cache(model, hash, parts, used)"
                    " SELECT m.id, e.hash, e.parts, e.used"
                    " FROM source.embedding_cache e JOIN source.models s ON s.id = e.model"
                    " JOIN main.models m ON m.fingerprint = s.fingerprint WHERE e.id > ? AND e.id <= ?",
                    (start, start + SEED_ROWS),
                )
                if with_tokens:
                    connection.execute(
                        "INSERT OR IGNORE INTO chunk_tokens(emb_id, version, bits) SELECT n.id, t.version, t.bits"
                        " FROM source.chunk_tokens t JOIN source.embedding_cache e ON e.id = t.emb_id"
                        " JOIN source.models s ON s.id = e.model JOIN main.models m ON m.fingerprint = s.fingerprint"
                        " JOIN main.embedding_cache n ON n.model = m.id AND n.hash = e.hash"
                        " WHERE e.id > ? AND e.id <= ?",
                        (start, start + SEED_ROWS),
                    )
        except driver.CorruptErrors as error:
            log.warning("some vectors could not be taken over", extra={"after": start, "reason": str(error)})
    set_meta(connection, "seeded", f"{name}:{newest}")


def _current(connection: Connection) -> bool:
    if get_meta(connection, "schema_version") != SCHEMA_VERSION:
        return False
    words_lost = capabilities().fts5 and not has_table(connection, "chunks_fts")
    return not words_lost and get_meta(connection, "terms_version") == TERMS_VERSION


def set_aside(path: Path, reason: str) -> Path:
    """Move an unusable index out of the way as `<name>.aside-<time>`; the newest one is kept, older ones go."""
    for old in path.parent.glob(f"{path.name}.aside-*"):
        old.unlink(missing_ok=True)
    aside = path.with_name(f"{path.name}.aside-{int(time.time())}")
    for suffix in SIDE_FILES:
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(aside.with_name(aside.name + suffix))
    damage_mark(path).unlink(missing_ok=True)
    log.warning("index set aside, will be made again", extra={"index": path.name, "reason": reason, "kept": aside.name})
    return aside
