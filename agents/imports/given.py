"""given_at(): what the owner names for an import, looked at the same way: a folder, a zip file, or one file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Protocol

from agents.core.errors import Invalid
from agents.imports.archive import MAX_ENTRIES, Archive, Refused
from agents.imports.names import HIDDEN, hidden
from search.documents.contain import FileTooLarge, PathNotAllowed, list_folder, name_problem, open_inside, shown
from search.sentences import sentence

Passed = tuple[tuple[str, str], ...]


class Given(Protocol):
    """`path` is what the owner named."""

    path: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The regular files, `/` between the parts, sorted; none that is hidden or lies in a tool's own folder."""

    @property
    def passed(self) -> Passed:
        """What `names` leaves out, and why; of a folder the folder alone."""

    def open(self, name: str) -> BinaryIO:
        """Raises `OSError` and `PathNotAllowed` for this file alone, `Refused` for an archive that is damaged."""

    def size(self, name: str) -> int:
        """In bytes."""


def read_given(given: Given, name: str, most: int) -> bytes:
    """The whole file. Raises like `open`, and `FileTooLarge` beyond `most` bytes."""
    size = given.size(name)
    if size <= most:
        with given.open(name) as file:
            data = file.read(most + 1)
        size = len(data)
    if size > most:
        raise FileTooLarge(name, size, most)
    return data


@contextmanager
def given_at(path: Path) -> Iterator[Given]:
    """Raises `Invalid` for a path that holds nothing to import, and `Refused` for an archive that is not safe."""
    try:
        file = None if path.is_dir() else os.fdopen(open_inside(path.parent, path.name), "rb")
    except PathNotAllowed as error:
        raise Invalid(error.message, hint=error.hint, field="path", code=error.code) from error
    except OSError as error:
        raise _cannot_be_read(path, error) from error
    if file is None:
        yield _Folder(path)
        return
    with file:
        zipped = file.read(2) == b"PK" or path.suffix.lower() == ".zip"
        yield Archive(path, file) if zipped else _File(path)


class _Folder:
    """No link is followed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def names(self) -> tuple[str, ...]:
        return self._walked[0]

    @property
    def passed(self) -> Passed:
        return self._walked[1]

    def open(self, name: str) -> BinaryIO:
        return os.fdopen(open_inside(self.path, name), "rb")

    def size(self, name: str) -> int:
        with self.open(name) as file:
            return os.fstat(file.fileno()).st_size

    @cached_property
    def _walked(self) -> tuple[tuple[str, ...], Passed]:
        try:
            return self._walk()
        except PathNotAllowed as error:
            raise Invalid(error.message, hint=error.hint, field="path", code=error.code) from error
        except OSError as error:
            raise _cannot_be_read(self.path, error) from error

    def _walk(self) -> tuple[tuple[str, ...], Passed]:
        names: list[str] = []
        passed: list[tuple[str, str]] = []
        pending: list[tuple[str, ...]] = [()]
        while pending:
            folders = pending.pop()
            for name, kind in list_folder(self.path, folders):
                rel = "/".join((*folders, name))
                if problem := name_problem(name) or _PROBLEMS.get(kind, ""):
                    passed.append((shown(rel), problem))
                elif hidden(f"{name}/" if kind == stat.S_IFDIR else name):
                    passed.append((rel, HIDDEN))
                elif kind == stat.S_IFDIR:
                    pending.append((*folders, name))
                else:
                    names.append(rel)
            if len(names) + len(passed) > MAX_ENTRIES:
                raise Refused(
                    str(self.path),
                    sentence("it holds more than {max_entries:,} files", max_entries=MAX_ENTRIES),
                    sentence("Import its subfolders one by one."),
                )
        return tuple(sorted(names)), tuple(sorted(passed))


_PROBLEMS = {stat.S_IFLNK: sentence("symlink, not followed"), 0: sentence("is not a regular file")}


class _File:
    """One file, as a folder that holds nothing else."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: tuple[str, ...] = (path.name,)
        self.passed: Passed = ()

    def open(self, name: str) -> BinaryIO:
        return os.fdopen(open_inside(self.path.parent, name), "rb")

    def size(self, name: str) -> int:
        with self.open(name) as file:
            return os.fstat(file.fileno()).st_size


def _cannot_be_read(path: Path, error: OSError) -> Invalid:
    return Invalid(
        sentence("{path} cannot be read: {strerror}.", path=error.filename or path, strerror=error.strerror or error),
        hint=sentence("Check the path, and the owner and mode of the file or folder."),
        field="path",
    )
