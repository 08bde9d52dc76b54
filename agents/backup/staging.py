"""Staging: a backup's files written beside their places and checked, before anything that is there is touched."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from django.db.migrations.loader import MigrationLoader

from agents.backup.blocks import BlockDamaged, BlockStore
from agents.backup.catalog import read_listing
from agents.backup.control import CONTROL, control_problems
from agents.backup.folders import FOLDERS, make_folders
from agents.backup.opened import STAGED, as_database
from agents.backup.values import FORMAT, Backup, BackupError, Progress, ReportProgress, StoredFile
from agents.core.paths import data_dir
from search.sentences import sentence

_FOLDER = ".restore"


@dataclass(frozen=True, slots=True)
class Staged:
    """`folder` holds the files at their places inside the backup."""

    backup: Backup
    folder: Path

    @property
    def control(self) -> Path:
        return self.folder / CONTROL


@contextmanager
def staged(backup: Backup, *, wanted: tuple[str, ...] = (), progress: ReportProgress) -> Iterator[Staged]:
    """Write out the files whose place begins with one of `wanted`, or all; nothing is left behind afterwards.

    The backup's control database is brought up to this version and can be asked as `STAGED`. Raises `BackupError`
    for what a newer version made, and for a damaged backup.
    """
    _refuse_newer(backup)
    with restoring_alone():
        yield from _staged(backup, wanted, progress)


@contextmanager
def restoring_alone() -> Iterator[None]:
    """Restores on one data folder write out to the same place: one at a time, and what a killed one left there goes.

    Raises `BackupError` while another is at work.
    """
    data_dir().mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(data_dir(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(
                sentence("Another restore is at work on this data folder."),
                hint=sentence("Wait until it is done."),
                code="restore_running",
            ) from None
        _remove(data_dir() / _FOLDER)
        yield
    finally:
        os.close(handle)


def _staged(backup: Backup, wanted: tuple[str, ...], progress: ReportProgress) -> Iterator[Staged]:
    folder = data_dir() / _FOLDER
    try:
        folder.mkdir(parents=True, mode=0o700)
        for private in ("history", "transcripts"):
            (folder / private).mkdir(mode=0o700)
        _write_all(backup, folder, wanted, progress)
        with as_database(folder / CONTROL, STAGED):
            yield Staged(backup, folder)
    except OSError as error:
        raise BackupError(
            sentence(
                "{filename} cannot be written: {strerror}. Nothing was replaced.",
                filename=error.filename or folder,
                strerror=error.strerror,
            ),
            hint=sentence("Make room, or give the server's user the right to write there."),
        ) from error
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Also folders that came back as ones which may not be written to."""
    for place, _, _ in os.walk(folder):
        Path(place).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _refuse_newer(backup: Backup) -> None:
    known = MigrationLoader(None).disk_migrations
    unknown = [f"{app}.{name}" for app, name in backup.migrations.items() if (app, name) not in known]
    if backup.format > FORMAT or unknown:
        raise BackupError(
            f"Backup {backup.name} was made by a newer version ({backup.version}"
            + (f", with {unknown[0]})." if unknown else ")."),
            hint=sentence("Upgrade this server first, then restore."),
        )


def _write_all(backup: Backup, folder: Path, wanted: tuple[str, ...], progress: ReportProgress) -> None:
    store = BlockStore(backup.path.parent)
    files = [file for file in read_listing(store, backup) if _is_wanted(file.path, wanted)]
    for number, file in enumerate(files, 1):
        try:
            _write(store, folder, file)
        except BlockDamaged as error:
            raise BackupError(
                sentence(
                    "Backup {name} is damaged at {path}: {error}. Nothing was replaced.",
                    name=backup.name,
                    path=file.path,
                    error=error,
                ),
                hint=sentence("Use an earlier one: manage.py backup list."),
            ) from error
        progress(Progress("reading the backup", number, len(files)))
    make_folders(folder, lambda place: _is_wanted(place, wanted))
    problems = control_problems(folder / CONTROL)
    if problems:
        raise BackupError(
            sentence(
                "The control database in {name} is damaged: {problems}. Nothing was replaced.",
                name=backup.name,
                problems=problems[0],
            ),
            hint=sentence("Use an earlier one: manage.py backup list."),
        )


def _is_wanted(place: str, wanted: tuple[str, ...]) -> bool:
    return not wanted or place in (CONTROL, FOLDERS) or place.startswith(wanted)


def _write(store: BlockStore, folder: Path, file: StoredFile) -> None:
    parts = PurePosixPath(file.path).parts
    if file.path.startswith("/") or ".." in parts or not parts:
        raise BlockDamaged("its place lies outside the backup")
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as out:
        for block in store.read(file.blocks):
            if block.count(0) == len(block):  # a hole stays one
                out.seek(len(block), os.SEEK_CUR)
            else:
                out.write(block)
        out.truncate()
        os.fchmod(out.fileno(), file.mode)
    os.utime(path, ns=(file.mtime_ns, file.mtime_ns))
