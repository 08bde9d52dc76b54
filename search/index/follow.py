"""followed(): up to which generation of the agent an index holds what any server has written."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from search.errors import IndexUnavailable
from search.index.damage import is_damaged
from search.index.locks import writer_lock
from search.index.opening import writing
from search.index.pool import reading
from search.index.schema import get_meta, set_meta

LOCK_TIMEOUT = 10.0


class Followed(NamedTuple):
    """`agent` is the number of its row: another agent of the same name has another."""

    agent: int
    number: int


def followed(path: Path) -> Followed | None:
    """None for an index that is missing, damaged, not whole yet, or has followed no agent."""
    if is_damaged(path):
        return None
    try:
        with reading(path) as connection:
            complete, found = get_meta(connection, "complete"), get_meta(connection, "followed")
    except IndexUnavailable:
        return None
    if not complete or not isinstance(found, str):
        return None
    agent, _, number = found.partition(":")
    return Followed(int(agent), int(number))


def note_followed(path: Path, now: Followed, *, lock_timeout: float = LOCK_TIMEOUT) -> None:
    """Raises like `update_files`."""
    with writer_lock(path, timeout=lock_timeout), writing(path, remake=False) as connection:
        set_meta(connection, "followed", f"{now.agent}:{now.number}")
