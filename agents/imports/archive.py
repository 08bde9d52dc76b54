"""Archive: a zip file that somebody else made, all of it checked before any of it is used.

Nothing is ever unpacked to a path that the archive names: its files are read one at a time, and written by the same
code that writes every note.
"""

from __future__ import annotations

import io
import shutil
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from agents.core.errors import Invalid
from agents.imports.names import HIDDEN, hidden
from search.documents.contain import PathNotAllowed, shown, split_path
from search.sentences import ended, sentence

MAX_ENTRIES = 20_000
MAX_UNPACKED = 8 * 1024**3
"""Bytes of all files together, as the archive declares them; no file is read beyond what it declares."""
MAX_RATIO = 200
"""Unpacked to packed bytes of a file of more than `RATIO_FROM`. Text reaches about 20, the format allows 1,030."""
RATIO_FROM = 1024 * 1024
MAX_INNER = 2 * 1024**3
"""Bytes of an archive inside the archive, which is copied to a temporary file."""
MAX_DIRECTORY = 8 * 1024 * 1024
"""Bytes of the list of files, about four times what `MAX_ENTRIES` take; read as a whole before they are counted."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1 | 0x40 | 0x2000


class Refused(Invalid):
    """What was given cannot be imported safely or completely, so none of it is."""

    def __init__(self, name: str, problem: str, hint: str = "") -> None:
        super().__init__(
            sentence("{name} was refused and nothing was imported: {problem}", name=name, problem=ended(problem)),
            hint=hint or sentence("Export it again, or make a new zip file of the files that you want."),
            field="path",
        )


class Archive:
    """A `Given`. Raises `Refused` for an archive that is damaged or could do harm."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        try:
            # Names without the sign for UTF-8 are read as UTF-8 all the same, which is what macOS writes.
            self._zip = zipfile.ZipFile(cast(BinaryIO, _Bounded(file)), metadata_encoding="utf-8")
        except UnicodeDecodeError as error:
            raise Refused(
                path.name,
                sentence("the names in it are not in UTF-8"),
                sentence("Unpack it, and import the folder."),
            ) from error
        except _TooLong as error:
            raise Refused(path.name, _too_many()) from error
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
            raise Refused(path.name, sentence("it is no zip file that can be read ({error})", error=error)) from error
        infos = self._zip.infolist()
        if problem := _problem(infos, path):
            raise Refused(path.name, problem)
        self._infos = {_name(info): info for info in infos if not info.is_dir()}
        passed = {hidden(name) for name in self._infos}
        self.names = tuple(sorted(name for name in self._infos if not hidden(name)))
        self.passed = tuple((name, HIDDEN) for name in sorted(passed) if name)

    def open(self, name: str) -> BinaryIO:
        with _damage_told(self.path.name, name):
            return cast(BinaryIO, _Readable(self._zip.open(self._infos[name]), self.path.name, name))

    def size(self, name: str) -> int:
        return self._infos[name].file_size

    @contextmanager
    def inner(self, name: str) -> Iterator[Archive]:
        """The archive of this name inside this one, checked in the same way."""
        if self.size(name) > MAX_INNER:
            raise Refused(
                self.path.name,
                sentence("{name} in it is larger than {max_inner:,} bytes", name=name, max_inner=MAX_INNER),
                sentence("Unpack it, and import the folder."),
            )
        with tempfile.TemporaryFile() as copy:
            with self.open(name) as file:
                shutil.copyfileobj(file, copy)
            copy.seek(0)
            yield Archive(self.path / name, cast(BinaryIO, copy))


class _Readable(io.BufferedIOBase):
    """A file of the archive whose damage is told as `Refused`."""

    def __init__(self, file: IO[bytes], archive: str, name: str) -> None:
        self._file, self._archive, self._name = file, archive, name

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        with _damage_told(self._archive, self._name):
            return self._file.read(-1 if size is None else size)

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def _damage_told(archive: str, name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError, OSError) as error:
        raise Refused(archive, sentence("{name} in it is damaged ({error})", name=name, error=error)) from error


class _TooLong(Exception):
    """More is to be read at once than any list of files takes that is imported."""


class _Bounded:
    """The archive's file. zipfile reads the list of files as a whole before anybody can count them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(min(size, MAX_DIRECTORY + 1) if size >= 0 else MAX_DIRECTORY + 1)
        if len(data) > MAX_DIRECTORY:
            raise _TooLong
        return data


def _problem(infos: list[zipfile.ZipInfo], path: Path) -> str:
    """Why none of this archive is imported; "" when it is sound."""
    if len(infos) > MAX_ENTRIES:
        return _too_many()
    for info in infos:
        if problem := _entry_problem(info):
            return sentence("{name} in it {problem}", name=shown(info.orig_filename), problem=problem)
    twice = [name for name, times in Counter(map(_name, infos)).items() if times > 1]
    if twice:
        return sentence("{name} is in it twice", name=shown(twice[0]))
    if sum(info.file_size for info in infos) > MAX_UNPACKED:
        return sentence("its files have more than {max_unpacked:,} bytes together", max_unpacked=MAX_UNPACKED)
    return ""


def _entry_problem(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.flag_bits & _ENCRYPTED:
        return sentence("is encrypted")
    if kind == stat.S_IFLNK:
        return sentence("is a symlink")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return sentence("is no regular file")
    if info.compress_type not in _METHODS:
        return sentence("is packed by an unusual method")
    if info.file_size > RATIO_FROM and info.file_size > MAX_RATIO * info.compress_size:
        return sentence("would grow to more than {max_ratio} times its packed size", max_ratio=MAX_RATIO)
    try:
        split_path(info.orig_filename.removesuffix("/"))
    except PathNotAllowed:
        return sentence("has a name that is no plain path below a folder")
    return ""


def _name(info: zipfile.ZipInfo) -> str:
    """macOS writes `ü` as two characters; here it is one."""
    return unicodedata.normalize("NFC", info.filename.removesuffix("/"))


def _too_many() -> str:
    return sentence("it holds more than {max_entries:,} files", max_entries=MAX_ENTRIES)
