"""make_backup(): everything that cannot be made again, of one running server, into the store; verified at the end.

The control database is copied first and the files after it, never the other way round: files that are newer than the
records are taken in by them (a log that grew, a transcript with a turn more), while records of turns that no file holds
would refuse those turns for ever.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from agents.backup.blocks import BlockStore
from agents.backup.catalog import (
    WORK_PREFIX,
    backup_dir,
    list_backups,
    publish,
    read_listing,
    store_lock,
    unused_name,
    unwritable,
    used_blocks,
    write_listing,
)
from agents.backup.control import CONTROL, applied_migrations, copy_control
from agents.backup.copying import keep_file
from agents.backup.folders import FOLDERS, StoredFolder, write_folders
from agents.backup.options import SECRET_KEY, SETTINGS, secret_key_file, write_settings
from agents.backup.sources import LeftOut, files_below, roots_of
from agents.backup.values import FORMAT, Backup, BackupError, IsCancelled, Progress, Reason, ReportProgress, StoredFile
from agents.backup.verify import check_files
from agents.core.paths import data_dir, index_path, workspace_fault
from agents.core.version import VERSION
from agents.models import Agent
from search.documents.contain import PathNotAllowed
from search.errors import Cancelled, IndexUnavailable
from search.index.copy import copy_index
from search.sentences import sentence

log = logging.getLogger(__name__)

LEAST_FREE_BYTES = 200 * 1024 * 1024


def make_backup(
    *,
    reason: Reason = "request",
    with_secrets: bool = False,
    with_indexes: bool | None = None,
    control_only: bool = False,
    folder: Path | None = None,
    progress: ReportProgress = lambda _: None,
    cancelled: IsCancelled = lambda: False,
) -> Backup:
    """Safe while everything runs; one at a time. What is cut short, even by kill -9, leaves no backup at all.

    `with_indexes` None: as MEMORY_BACKUP_INDEXES says. Raises `BackupError`, and `Cancelled`.
    """
    folder = folder or backup_dir()
    with store_lock(folder):
        maker = _Maker(
            folder,
            with_secrets=with_secrets,
            with_indexes=settings.MEMORY_BACKUP_INDEXES if with_indexes is None else with_indexes,
            control_only=control_only,
            progress=progress,
            cancelled=cancelled,
        )
        try:
            return maker.make(reason)
        except OSError as error:
            maker.clear()  # a disk that is full must not stay full for what is no backup
            raise unwritable(folder, error) from error
        except (BackupError, Cancelled):
            maker.clear()
            raise


class _Maker:
    """One backup under way. The store's lock is held."""

    def __init__(
        self,
        folder: Path,
        *,
        with_secrets: bool,
        with_indexes: bool,
        control_only: bool,
        progress: ReportProgress,
        cancelled: IsCancelled,
    ) -> None:
        self._folder, self._store = folder, BlockStore(folder)
        self._with_secrets, self._with_indexes, self._control_only = with_secrets, with_indexes, control_only
        self._progress, self._cancelled = progress, cancelled
        self._before: dict[str, StoredFile] = {}
        self._files: list[StoredFile] = []
        self._kept_folders: list[StoredFolder] = []
        self._left_out = LeftOut()

    def make(self, reason: Reason) -> Backup:
        began, made_at = time.monotonic(), timezone.now()
        self.clear()
        self._refuse_full_disk()
        agents = [] if self._control_only else list(Agent.objects.prefetch_related("collections"))
        self._before = self._last_files()
        self._collect(agents)
        damaged = check_files(self._store, self._files, self._progress)
        if damaged:
            # Blocks of earlier backups that went bad on the disk: written again from what is there now.
            for name in damaged:
                self._store.drop(name)
            self._before = {}
            self._collect(agents)
            damaged = check_files(self._store, self._files, self._progress)
        if damaged:
            raise BackupError(
                sentence("What was written to {folder} reads back differently.", folder=self._folder),
                hint=sentence("The disk may be failing: look at the system's log, and use another one."),
            )
        backup = Backup(
            name=(name := unused_name(self._folder, made_at)),
            made_at=made_at,
            reason=reason,
            seconds=round(time.monotonic() - began, 1),
            files=len(self._files),
            size=sum(file.size for file in self._files),
            agents=tuple(agent.slug for agent in agents),
            with_secrets=self._with_secrets,
            with_indexes=self._with_indexes and not self._control_only,
            control_only=self._control_only,
            version=VERSION,
            migrations=applied_migrations(),
            data_dir=str(data_dir()),
            left_out=self._left_out.told(),
            listing=write_listing(self._store, self._files),
            added=self._store.added,
            format=FORMAT,
            path=self._folder / f"{name}.json",
        )
        publish(backup)
        return backup

    def clear(self) -> None:
        """Away with what a maker that died left; but while one list cannot be read, nothing is known to be unused."""
        for left in self._folder.glob(f"{WORK_PREFIX}*"):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)
        try:
            self._store.drop_unused(used_blocks(self._folder))
        except BackupError as error:
            log.warning("%s %s", error.message, error.hint)

    def _refuse_full_disk(self) -> None:
        free = shutil.disk_usage(self._folder).free
        if free < LEAST_FREE_BYTES:
            raise BackupError(
                sentence("Only {free} MB are free in {folder}.", free=free // 1024**2, folder=self._folder),
                hint=sentence("Make room, remove backups (manage.py backup remove NAME), or set MEMORY_BACKUP_DIR."),
            )

    def _last_files(self) -> dict[str, StoredFile]:
        for backup in list_backups(self._folder):
            if not backup.control_only:
                try:
                    return {file.path: file for file in read_listing(self._store, backup)}
                except BackupError as error:
                    log.warning("%s Every file is read again.", error.message)
        return {}

    def _collect(self, agents: list[Agent]) -> None:
        self._files, self._kept_folders, self._left_out = [], [], LeftOut()
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=WORK_PREFIX) as work:
            self._say("control database", 0, 0)
            copy_control(Path(work) / CONTROL, with_secrets=self._with_secrets)
            self._keep(CONTROL, Path(work) / CONTROL)
            self._keep_settings(Path(work))
            if self._control_only:
                return
            self._keep_folders(agents)
            write_folders(Path(work) / FOLDERS, self._kept_folders)
            self._keep(FOLDERS, Path(work) / FOLDERS)
            if self._with_indexes:
                self._keep_indexes(agents, Path(work))

    def _keep_settings(self, work: Path) -> None:
        write_settings(work / SETTINGS, with_secrets=self._with_secrets)
        self._keep(SETTINGS, work / SETTINGS)
        if self._with_secrets and secret_key_file().exists():
            self._keep(SECRET_KEY, secret_key_file())

    def _keep_folders(self, agents: list[Agent]) -> None:
        """Two walks: the first only counts, so that progress has an end."""
        workspaces = [Path(agent.workspace) for agent in agents if not workspace_fault(agent.workspace)]
        roots = [root for agent in agents for root in roots_of(agent, workspaces, self._left_out)]
        total = sum(1 for root in roots for _ in files_below(root, LeftOut()))
        done = 0
        for root in roots:
            for place, path in files_below(root, self._left_out):
                if place.endswith("/"):
                    self._keep_folder(place, path)
                else:
                    self._keep(place, path)
                done += 1
                self._say("files", done, max(done, total))

    def _keep_indexes(self, agents: list[Agent], work: Path) -> None:
        for number, agent in enumerate(agents):
            self._say("indexes", number, len(agents))
            copy = work / "index.sqlite"
            try:
                copy_index(index_path(agent.slug), copy)
            except IndexUnavailable as error:
                self._left_out.add(f"index of {agent.slug}", error.message)
            else:
                self._keep(f"indexes/{agent.slug}.sqlite", copy)
            copy.unlink(missing_ok=True)

    def _keep(self, place: str, path: Path) -> None:
        if self._cancelled():
            raise Cancelled(sentence("the backup was cancelled"))
        try:
            self._files.append(keep_file(self._store, place, path, self._before.get(place)))
        except FileNotFoundError:
            return  # it went between the look and the reading
        except PermissionError as error:
            self._left_out.add(str(path), str(error.strerror))
        except PathNotAllowed as error:
            self._left_out.add(str(path), error.message)

    def _keep_folder(self, place: str, path: Path) -> None:
        with suppress(FileNotFoundError):  # it went between the look and this one
            found = path.lstat()
            self._kept_folders.append(StoredFolder(place.rstrip("/"), found.st_mode & 0o777, found.st_mtime_ns))

    def _say(self, step: str, done: int, total: int) -> None:
        self._progress(Progress(step, done, total))
