"""What an agent's files are: every regular file below its roots, with its hash; and how one of them is opened."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from search.documents.contain import PathNotAllowed, list_folder, open_folder

BLOCK = 1024 * 1024
LOCKS = ("transcripts", "locks")
"""A root and a folder in it that is of no use elsewhere."""

_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of one root. `digest` is the SHA-256 of its content."""

    root: str
    rel: str
    size: int
    mtime_ns: int
    mode: int
    digest: str


def entries(roots: Mapping[str, Path]) -> Iterator[Entry]:
    """Root by root, folder by folder; symlinks and what is no regular file are neither followed nor taken."""
    for root, folder in roots.items():
        for rel, handle in _files(root, folder):
            try:
                yield _entry(root, rel, handle)
            finally:
                os.close(handle)


def left_out(roots: Mapping[str, Path]) -> list[str]:
    """The symlinks and special files below the roots, which a move leaves behind."""
    return [
        f"{root}/{rel}"
        for root, folder in roots.items()
        for rel, kind in _names(root, folder)
        if not stat.S_ISREG(kind)
    ]


def open_entry(folder: Path, rel: str) -> int:
    """Read-only descriptor of a regular file. Raises `PathNotAllowed`, `OSError`."""
    *folders, name = rel.split("/")
    if any(part in ("", ".", "..") for part in (*folders, name)):
        raise PathNotAllowed(f"{rel!r} is no path below its folder", hint="Name files as the inventory does.")
    parent = open_folder(folder, folders)
    try:
        handle = os.open(name, _FILE_FLAGS, dir_fd=parent)
    finally:
        os.close(parent)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise PathNotAllowed(f"{rel!r} is not a regular file", hint="Only regular files are moved.")
    return handle


def digest_of(handle: int) -> str:
    digest = hashlib.sha256()
    while block := os.read(handle, BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _entry(root: str, rel: str, handle: int) -> Entry:
    digest = digest_of(handle)
    found = os.fstat(handle)
    return Entry(root, rel, found.st_size, found.st_mtime_ns, stat.S_IMODE(found.st_mode), digest)


def _files(root: str, folder: Path) -> Iterator[tuple[str, int]]:
    for rel, kind in _names(root, folder):
        if not stat.S_ISREG(kind):
            continue
        try:
            yield rel, open_entry(folder, rel)
        except FileNotFoundError:
            continue  # deleted since it was listed


def _names(root: str, folder: Path) -> Iterator[tuple[str, int]]:
    """Every name below the folder that is no folder itself, with its type; in order."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        folders = waiting.pop()
        if (root, *folders) == LOCKS:
            continue
        try:
            found = list_folder(folder, folders)
        except FileNotFoundError:
            continue  # an agent without it, or deleted since it was listed
        waiting += [(*folders, name) for name, kind in reversed(found) if kind == stat.S_IFDIR]
        yield from (("/".join((*folders, name)), kind) for name, kind in found if kind != stat.S_IFDIR)
