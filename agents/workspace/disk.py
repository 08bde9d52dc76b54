"""Bytes onto the disk: append, create, exchange and remove, each so that a person's own save is never overwritten.

Editors take no lock of ours. An append goes to the end of whatever file stands there (`O_APPEND`) and is then looked
for under its name, because an editor may have put another file in its place meanwhile. A whole new content is
exchanged with the old file in one step, and put back when the old file turns out not to be the one that was read. A
new file gets its name when it is whole.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agents.locking.locks import fence
from agents.workspace.beside import Leftover, beside, leftover, read_at_rest
from agents.workspace.exchange import OLD, exchange, place
from search.documents.answering import answering
from search.documents.contain import PathNotAllowed, open_folder, read_inside, shown, split_path
from search.sentences import sentence

ATTEMPTS = 8
Keep = Callable[[bytes], None]
"""Takes a content that is about to have no name, and has it stored when it returns."""
_APPEND = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class KeepsChanging(Exception):
    """Somebody else replaced the file every time we had written to it."""


class ChangedMeanwhile(Exception):
    """The file is no longer the one that was read; nothing was written."""


def append_block(root: Path, rel: str, block: bytes, before: bytes, keep: Keep) -> bytes:
    """Put `block` at the end of the file, made when missing; the answer is what stood before it in the end.

    `before` is the content as last read. A file that has another name elsewhere (a hard link) keeps its content there:
    this name gets a copy before it is written. Raises `KeepsChanging`, `PathNotAllowed` and `OSError`; a block that did
    not fit on the disk is taken back as a whole, and so are a file and folders that were made for it.
    """
    with _parent(root, rel) as (folder, name):
        for _ in range(ATTEMPTS):
            try:
                if _linked(folder, name):
                    now = read_inside(root, rel)
                    exchange_content(root, rel, now, now, keep)
                _append_once(folder, name, block)
                now = read_inside(root, rel)
            except (FileExistsError, ChangedMeanwhile):
                continue  # made by somebody since we found it missing, or saved since we read it
            except FileNotFoundError:
                now = b""  # removed since we wrote
            place = now.rfind(block)
            if place >= 0 and now.count(block) > before.count(block):
                return now[:place]
            before = now
    raise KeepsChanging(rel)


def create_file(root: Path, rel: str, data: bytes) -> None:
    """A new file. Raises `FileExistsError`, `PathNotAllowed` and `OSError`; half a file is never seen."""
    with _parent(root, rel) as (folder, name):
        _create(folder, name, data)


def exchange_content(root: Path, rel: str, data: bytes, before: bytes, keep: Keep) -> None:
    """`data` instead of `before`, keeping the file's mode and owner. Raises `ChangedMeanwhile`, `OSError` …

    Who saves in that very moment wins, and gets the name back. What then has no name any more is handed to `keep`
    before it goes: nothing that others wrote is lost.
    """
    with _parent(root, rel) as (folder, name):
        old = _regular(folder, name, rel)
        hidden = beside(name)
        _write_new(folder, hidden, data, stat.S_IMODE(old.st_mode))
        try:
            with suppress(PermissionError):  # a file of another owner becomes ours, as in any editor
                os.chown(hidden, old.st_uid, old.st_gid, dir_fd=folder, follow_symlinks=False)
            exchange(folder, hidden, name)
            if read_at_rest(folder, hidden) == before:
                os.unlink(hidden, dir_fd=folder)
                return
            _give_back(folder, name, hidden, data)
            raise ChangedMeanwhile(rel)
        except FileExistsError as error:
            raise ChangedMeanwhile(rel) from error
        finally:
            for left in (hidden, hidden + OLD):
                _put_away(folder, left, data, keep)
            os.fsync(folder)


def _give_back(folder: int, name: str, hidden: str, data: bytes) -> None:
    """The displaced file gets its name again; unless another was saved meanwhile, which is newer still.

    Lines that were added to ours while it had the name are no newer file: they are kept, not put in place.
    """
    try:
        exchange(folder, hidden, name)
        if not read_at_rest(folder, hidden).startswith(data):
            exchange(folder, hidden, name)
    except FileNotFoundError:  # removed by somebody: what was displaced is all there is
        place(folder, hidden, name)


def _put_away(folder: int, hidden: str, known: bytes | None, keep: Keep) -> None:
    """Remove what lies beside; what it holds is kept before, unless it is what we wrote ourselves."""
    with suppress(FileNotFoundError):
        content = read_at_rest(folder, hidden)
        if content != known:
            keep(content)
        os.unlink(hidden, dir_fd=folder)


def remove_file(root: Path, rel: str, before: bytes, keep: Keep) -> None:
    """Take the file away if it still is what was read. Raises `ChangedMeanwhile`, `OSError` …"""
    with _parent(root, rel) as (folder, name):
        _regular(folder, name, rel)
        hidden = beside(name) + OLD
        os.rename(name, hidden, src_dir_fd=folder, dst_dir_fd=folder)
        try:
            if read_at_rest(folder, hidden) == before:
                os.unlink(hidden, dir_fd=folder)
                return
            place(folder, hidden, name)
            raise ChangedMeanwhile(rel)
        except FileExistsError as error:  # made again by somebody
            raise ChangedMeanwhile(rel) from error
        finally:
            _put_away(folder, hidden, None, keep)
            os.fsync(folder)


def leftovers(root: Path, folders: str) -> list[Leftover]:
    """What writes that were cut short left in this folder of the workspace. Raises `PathNotAllowed`, `OSError`."""
    fd = open_folder(root, split_path(folders) if folders else ())
    try:
        return [found for name in sorted(os.listdir(fd)) if (found := leftover(name))]  # noqa: PTH208 - a descriptor
    finally:
        os.close(fd)


def take_up(root: Path, rel: str, found: Leftover, known: Callable[[bytes], bool], keep: Keep) -> None:
    """What was taken from the name `rel` gets it back when it is free; all else is kept, unless it is known."""
    with _parent(root, rel) as (folder, name):
        if found.taken:
            with suppress(FileExistsError):
                place(folder, found.hidden, name)
        with suppress(FileNotFoundError):
            content = read_at_rest(folder, found.hidden)
            if not known(content):
                keep(content)
            os.unlink(found.hidden, dir_fd=folder)
        os.fsync(folder)


@contextmanager
def _parent(root: Path, rel: str) -> Iterator[tuple[int, str]]:
    """Descriptor of the folder that holds `rel`, made step by step where missing, and the file's name."""
    fence()
    with answering(root), _parent_there(root, rel) as found:
        yield found


@contextmanager
def _parent_there(root: Path, rel: str) -> Iterator[tuple[int, str]]:
    *folders, name = split_path(rel)
    try:
        fd = open_folder(root)
    except FileNotFoundError as error:
        # Not the missing file that callers know how to take: without its folder nothing can be written at all.
        raise NotADirectoryError(errno.ENOTDIR, "the workspace's folder is missing") from error
    steps, made = [fd], []
    try:
        for step in folders:
            with suppress(FileExistsError):
                os.mkdir(step, 0o755, dir_fd=steps[-1])
                made.append((steps[-1], step))
            steps.append(_step(step, steps[-1]))
        yield steps[-1], name
    except BaseException:
        with suppress(OSError):  # others put something in already
            for parent, step in reversed(made):
                os.rmdir(step, dir_fd=parent)
        raise
    finally:
        for opened in steps:
            os.close(opened)


def _step(name: str, parent: int) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise PathNotAllowed(
                sentence("{shown} is a symlink or a file, not a folder", shown=shown(name)),
                hint=sentence("Use a real folder."),
            ) from error
        raise


def _linked(folder: int, name: str) -> bool:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_nlink > 1


def _append_once(folder: int, name: str, block: bytes) -> None:
    try:
        fd = os.open(name, _APPEND, dir_fd=folder)
    except FileNotFoundError:
        _create(folder, name, block)
        return
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise PathNotAllowed(
                sentence("{shown} is a symlink or not a regular file", shown=shown(name)),
                hint=sentence("Symlinks are not followed; use the file."),
            ) from error
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise PathNotAllowed(
                sentence("{shown} is not a regular file", shown=shown(name)),
                hint=sentence("Only Markdown files are written."),
            )
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


def _create(folder: int, name: str, data: bytes) -> None:
    """Whole under its name or not at all. Raises `FileExistsError`."""
    hidden = beside(name)
    _write_new(folder, hidden, data, 0o644)
    try:
        place(folder, hidden, name)
    except OSError:
        os.unlink(hidden, dir_fd=folder)
        raise
    os.fsync(folder)


def _regular(folder: int, name: str, rel: str) -> os.stat_result:
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        raise PathNotAllowed(
            sentence("{shown} is not a regular file", shown=shown(rel)),
            hint=sentence("Only regular Markdown files are written."),
        )
    return found


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
