"""Bytes onto the disk: append, create, exchange and remove, each so that a person's own save is never overwritten.

Editors take no lock of ours. An append goes to the end of whatever file stands there (`O_APPEND`) and is then looked
for under its name, because an editor may have put another file in its place meanwhile. A whole new content is
exchanged with the old file in one step, and put back when the old file turns out not to be the one that was read.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agents.workspace.exchange import exchange
from search.documents.contain import PathNotAllowed, open_folder, read_inside, shown, split_path

ATTEMPTS = 8
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class KeepsChanging(Exception):
    """Somebody else replaced the file every time we had written to it."""


class ChangedMeanwhile(Exception):
    """The file is no longer the one that was read; nothing was written."""


def append_block(root: Path, rel: str, block: bytes, before: bytes) -> bytes:
    """Put `block` at the end of the file, made when missing; the answer is what stood before it in the end.

    `before` is the content as last read. Raises `KeepsChanging`, `PathNotAllowed` and `OSError`; a block that did not
    fit on the disk is taken back as a whole.
    """
    with _parent(root, rel) as (folder, name):
        for _ in range(ATTEMPTS):
            _append_once(folder, name, block)
            now = read_inside(root, rel)
            place = now.rfind(block)
            if place >= 0 and now.count(block) > before.count(block):
                return now[:place]
            before = now
    raise KeepsChanging(rel)


def create_file(root: Path, rel: str, data: bytes) -> None:
    """A new file. Raises `FileExistsError`, `PathNotAllowed` and `OSError`; half a file is never left."""
    with _parent(root, rel) as (folder, name):
        _write_new(folder, name, data, 0o644)
        os.fsync(folder)


def exchange_content(root: Path, rel: str, data: bytes, before: bytes) -> None:
    """`data` instead of `before`, keeping the file's mode and owner. Raises `ChangedMeanwhile`, `OSError` …"""
    with _parent(root, rel) as (folder, name):
        old = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(old.st_mode):
            raise PathNotAllowed(f"{shown(rel)} is not a regular file", hint="Only regular Markdown files are written.")
        beside = f".{secrets.token_hex(8)}.memory"
        _write_new(folder, beside, data, stat.S_IMODE(old.st_mode))
        try:
            with suppress(PermissionError):  # a file of another owner becomes ours, as in any editor
                os.chown(beside, old.st_uid, old.st_gid, dir_fd=folder, follow_symlinks=False)
            exchange(folder, beside, name)
            displaced = _read(folder, beside)
            if displaced == before:
                return
            while displaced != data:  # give the person's file its name back, and any that came after it
                exchange(folder, beside, name)
                displaced = _read(folder, beside)
            raise ChangedMeanwhile(rel)
        finally:
            os.unlink(beside, dir_fd=folder)
            os.fsync(folder)


def remove_file(root: Path, rel: str, before: bytes) -> None:
    """Take the file away if it still is what was read. Raises `ChangedMeanwhile`, `OSError` …"""
    with _parent(root, rel) as (folder, name):
        beside = f".{secrets.token_hex(8)}.memory"
        os.rename(name, beside, src_dir_fd=folder, dst_dir_fd=folder)
        if _read(folder, beside) != before:
            os.link(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.unlink(beside, dir_fd=folder)
            raise ChangedMeanwhile(rel)
        os.unlink(beside, dir_fd=folder)
        os.fsync(folder)


@contextmanager
def _parent(root: Path, rel: str) -> Iterator[tuple[int, str]]:
    """Descriptor of the folder that holds `rel`, made step by step where missing, and the file's name."""
    *folders, name = split_path(rel)
    try:
        fd = open_folder(root)
    except FileNotFoundError as error:
        # Not the missing file that callers know how to take: without its folder nothing can be written at all.
        raise NotADirectoryError(errno.ENOTDIR, "the workspace's folder is missing") from error
    try:
        for step in folders:
            with suppress(FileExistsError):
                os.mkdir(step, 0o755, dir_fd=fd)
            inner = _step(step, fd)
            os.close(fd)
            fd = inner
        yield fd, name
    finally:
        os.close(fd)


def _step(name: str, parent: int) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise PathNotAllowed(
                f"{shown(name)} is a symlink or a file, not a folder", hint="Use a real folder."
            ) from error
        raise


def _append_once(folder: int, name: str, block: bytes) -> None:
    try:
        fd = os.open(name, _APPEND, 0o644, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise PathNotAllowed(
                f"{shown(name)} is a symlink or not a regular file", hint="Symlinks are not followed; use the file."
            ) from error
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise PathNotAllowed(f"{shown(name)} is not a regular file", hint="Only Markdown files are written.")
        try:
            _write_all(fd, block)
            os.fsync(fd)
        except OSError:
            _take_back(fd, status.st_size, block)
            raise
    finally:
        os.close(fd)


def _take_back(fd: int, size: int, block: bytes) -> None:
    """Cut off the part of `block` that was written, unless the end of the file is somebody else's by now."""
    tail = os.pread(fd, len(block) + 1, size)
    if block.startswith(tail):
        os.ftruncate(fd, size)


def _write_new(folder: int, name: str, data: bytes, mode: int) -> None:
    fd = os.open(name, _NEW, mode, dir_fd=folder)
    try:
        _write_all(fd, data)
        os.fchmod(fd, mode)
        os.fsync(fd)
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _read(folder: int, name: str) -> bytes:
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(fd, "rb") as file:
        return file.read()
