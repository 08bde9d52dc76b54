"""The one place that decides which file may be opened: regular files below a root, reached without any symlink.

Folders that the owner named in the settings may themselves be reached through symlinks. Beneath them, and everywhere
outside of them, each component of a path is opened relative to the one before, so that a folder exchanged for a
symlink at any moment leads nowhere.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from search.documents.answering import answering
from search.errors import SearchError
from search.sentences import sentence

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
_READ_BLOCK = 1024 * 1024
_FOLDER_FLAGS = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Folders on the way are passed, not listed: of /home, say, one may have the right to search and no other.
_PASSING = getattr(os, "O_PATH", os.O_RDONLY)
# O_NONBLOCK: opening a named pipe must not wait for a writer.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _none() -> Sequence[Path]:
    return ()


_trusted: Callable[[], Sequence[Path]] = _none


def trust(roots: Callable[[], Sequence[Path]]) -> None:
    """From now on the way to these folders, not what is beneath them, may pass symlinks. Once for each process."""
    global _trusted
    _trusted = roots


class PathNotAllowed(SearchError):
    """The path leaves its root, passes a symlink, or names something that is not a regular file."""

    code = "path_not_allowed"


class FileTooLarge(SearchError):
    """The file has more bytes than the caller accepts. `size` is the file's size in bytes."""

    code = "too_large"

    def __init__(self, rel: str, size: int, max_bytes: int) -> None:
        super().__init__(
            sentence(
                "{shown} has {size:,} bytes; the limit is {max_bytes:,}",
                shown=shown(rel),
                size=size,
                max_bytes=max_bytes,
            ),
            hint=sentence("Split the file, or read it in parts."),
        )
        self.size = size


def shown(path: str) -> str:
    """The path as an error message may carry it: quoted, control characters escaped, at most 200 characters."""
    return repr(path if len(path) <= 200 else path[:197] + "...")


def name_problem(name: str) -> str | None:
    """Why `name` may not be one component of a path; None when it may."""
    if name in ("", ".", ".."):
        return sentence("empty, '.' and '..' components are not allowed")
    if "/" in name or "\\" in name:
        return sentence("slashes and backslashes are not allowed inside a name")
    if not name.isprintable() and any(ord(char) < 32 or ord(char) == 127 for char in name):
        return sentence("control characters are not allowed in a name")
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        return sentence("the name is not valid Unicode")
    if length > MAX_NAME_BYTES:
        return sentence("a name may have at most {max_name_bytes} bytes", max_name_bytes=MAX_NAME_BYTES)
    return None


def split_path(rel: str) -> list[str]:
    """Components of a root-relative path with `/` between them. Raises `PathNotAllowed` for every other shape."""
    if len(rel) > MAX_PATH_BYTES:
        raise PathNotAllowed(
            sentence("{shown}: the path is too long", shown=shown(rel)),
            hint=sentence("At most {max_path_bytes} bytes.", max_path_bytes=MAX_PATH_BYTES),
        )
    names = rel.split("/")
    for name in names:
        problem = name_problem(name)
        if problem:
            raise PathNotAllowed(
                f"{shown(rel)}: {problem}", hint=sentence("Give a path relative to the workspace, such as MEMORY.md.")
            )
    return names


def open_folder(root: Path, folders: Sequence[str] = ()) -> int:
    """Descriptor of the folder `folders` below `root`; every step is opened relative to the one before.

    The names must come from `split_path` or from a directory listing. Raises `PathNotAllowed` when a step beneath the
    trusted folder that holds `root` is a symlink (without such a folder: any step from `/` on), `FileNotFoundError`
    when a step is missing or is a file, other `OSError` as they come. The folder itself must be readable; those on
    the way need only the right to search.
    """
    with answering(root):
        return _open_folder(root, folders)


def _open_folder(root: Path, folders: Sequence[str]) -> int:
    start, steps = _way(root)
    names = (*steps, *folders)
    fd = os.open(start, (_PASSING if names else os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC)
    for left, name in enumerate(names, 1 - len(names)):
        try:
            inner = _open_step(name, fd, _PASSING if left else os.O_RDONLY)
        finally:
            os.close(fd)
        fd = inner
    return fd


def list_folder(root: Path, folders: Sequence[str] = ()) -> list[tuple[str, int]]:
    """The names in a folder in order, each with its type as `stat.S_IFMT` gives it. Raises like `open_folder`."""
    with answering(root):
        folder = open_folder(root, folders)
        try:
            with os.scandir(folder) as entries:
                return sorted((entry.name, _type(entry)) for entry in entries)
        finally:
            os.close(folder)


def _type(entry: os.DirEntry[str]) -> int:
    if entry.is_symlink():
        return stat.S_IFLNK
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    return stat.S_IFREG if entry.is_file(follow_symlinks=False) else 0


def is_folder(path: Path) -> bool:
    """Whether there is a folder that may be opened, reached without a symlink."""
    try:
        os.close(open_folder(path))
    except (OSError, PathNotAllowed):
        return False
    return True


def open_inside(root: Path, rel: str) -> int:
    """Read-only descriptor of the regular file `rel` below `root`; the caller closes it.

    Raises `PathNotAllowed`, `FileNotFoundError`, `IsADirectoryError`, or another `OSError` of the file system.
    """
    with answering(root):
        return _open_inside(root, rel)


def _open_inside(root: Path, rel: str) -> int:
    *folders, name = split_path(rel)
    folder = open_folder(root, folders)
    try:
        fd = os.open(name, _FILE_FLAGS, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise PathNotAllowed(
                sentence("{shown} is a symlink", shown=shown(rel)),
                hint=sentence("Symlinks are not followed; copy the file."),
            ) from error
        if error.errno == errno.ENXIO:
            raise _not_regular(rel) from error
        raise
    finally:
        os.close(folder)
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return fd
    os.close(fd)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", rel)
    raise _not_regular(rel)


def spelled(root: Path, rel: str) -> str:
    """`rel` as its names are written on the disk: `ü` may be one character there (NFC) or two (NFD).

    The name as it is asked for wins when both exist; what does not exist gets the one form NFC. Raises
    `PathNotAllowed` for a path of another shape.
    """
    if rel.isascii():
        return rel
    names = split_path(rel)
    found: list[str] = []
    for place, name in enumerate(names):
        try:
            folder = open_folder(root, found)
        except (OSError, PathNotAllowed):
            return "/".join((*found, *(unicodedata.normalize("NFC", rest) for rest in names[place:])))
        try:
            found.append(_spelling(folder, name))
        finally:
            os.close(folder)
    return "/".join(found)


def _spelling(folder: int, name: str) -> str:
    usual = unicodedata.normalize("NFC", name)
    for form in dict.fromkeys((name, usual, unicodedata.normalize("NFD", name))):
        try:
            os.stat(form, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        return form
    # A name may mix the two; only names beyond ASCII that are on the disk in neither form come here.
    with os.scandir(folder) as entries:
        mixed = (entry.name for entry in entries if unicodedata.normalize("NFC", entry.name) == usual)
        return next(mixed, usual)


def read_inside(root: Path, rel: str, max_bytes: int | None = None) -> bytes:
    """Content of the regular file `rel` below `root`. Raises like `open_inside`, and `FileTooLarge`."""
    with answering(root):
        return _read_inside(root, rel, max_bytes)


def _read_inside(root: Path, rel: str, max_bytes: int | None) -> bytes:
    fd = open_inside(root, rel)
    try:
        size = os.fstat(fd).st_size
        blocks: list[bytes] = []
        length = 0
        while max_bytes is None or max(size, length) <= max_bytes:
            block = os.read(fd, min(_READ_BLOCK, max(size - length, 0) + 1))
            if not block:
                return b"".join(blocks)
            blocks.append(block)
            length += len(block)
        raise FileTooLarge(rel, max(size, length), max_bytes)
    finally:
        os.close(fd)


def _way(folder: Path) -> tuple[str, Sequence[str]]:
    """Where to begin, and the components from there: the innermost trusted folder that holds `path`, else `/`."""
    path = _absolute(folder)
    if not folder.is_absolute():  # it would be one of the server's own, wherever that was started
        raise PathNotAllowed(
            sentence("{shown} is not absolute", shown=shown(str(folder))), hint=sentence("Give the whole path.")
        )
    if "\0" in path:
        raise PathNotAllowed(
            sentence("{shown} holds a zero byte", shown=shown(path)), hint=sentence("Give the folder again.")
        )
    spellings = (spelling for root in _trusted() for spelling in (_absolute(root), _real(root)))
    holding = [spelling for spelling in spellings if path == spelling or path.startswith(f"{spelling.rstrip('/')}/")]
    start = max(holding, key=len, default="/")
    return start, [name for name in path[len(start) :].split("/") if name]


def _absolute(folder: Path) -> str:
    return os.path.abspath(folder)  # noqa: PTH100 - `resolve` would follow the symlinks that must be seen


@lru_cache(maxsize=64)
def _real(root: Path) -> str:
    # Once: a symlink that is turned elsewhere later must not make another folder the trusted one.
    return os.path.realpath(root)


def _open_step(name: str, parent: int, access: int) -> int:
    try:
        return os.open(name, access | _FOLDER_FLAGS, dir_fd=parent)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        # Only the wording depends on this second look: nothing was opened, and nothing will be.
        if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise PathNotAllowed(
                sentence("{shown} is a symlink", shown=shown(name)),
                hint=sentence("Symlinks are not followed; use the real folder."),
            ) from error
        raise FileNotFoundError(errno.ENOENT, "is not a folder", name) from error


def _not_regular(rel: str) -> PathNotAllowed:
    return PathNotAllowed(
        sentence("{shown} is not a regular file", shown=shown(rel)),
        hint=sentence("Only regular Markdown files are read."),
    )
