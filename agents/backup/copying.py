"""keep_file(): one file into the store, as it was at one moment, without reading what has not changed."""

from __future__ import annotations

import os
from pathlib import Path

from agents.backup.blocks import BlockStore
from agents.backup.values import StoredFile
from search.documents.contain import open_folder

_TRIES = 3


def keep_file(store: BlockStore, place: str, path: Path, before: StoredFile | None) -> StoredFile:
    """`before`: the same file in the last backup; when inode, times and size are those of then, it is not read.

    A file that changes while it is read is read again; one that never rests is taken as it was read last, which for
    files that only grow is a whole beginning. Raises `OSError`, `PathNotAllowed`.
    """
    folder = open_folder(path.parent)
    try:
        handle = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if before is not None and before.seen == _seen(found) and store.has_all(before.blocks):
            return before
        for _ in range(_TRIES):
            file.seek(0)
            blocks, size = store.put_file(file)
            after = os.fstat(file.fileno())
            if _seen(after) == _seen(found):
                break
            found = after
    return StoredFile(place, size, found.st_mode & 0o777, found.st_mtime_ns, _seen(found), blocks)


def _seen(found: os.stat_result) -> tuple[int, int, int]:
    """Any write or change of name sets the inode's own time, which nobody can set back."""
    return (found.st_ino, found.st_ctime_ns, found.st_size)
