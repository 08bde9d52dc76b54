"""verify_backup(): read every block of a backup, compare it with its name, and check the databases that they make."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from agents.backup.blocks import BlockDamaged, BlockStore
from agents.backup.catalog import backup_dir, find_backup, read_listing
from agents.backup.control import CONTROL, control_problems
from agents.backup.values import BackupError, Progress, ReportProgress, StoredFile, Verified

_EVERY = 200


def verify_backup(name: str, *, folder: Path | None = None, progress: ReportProgress = lambda _: None) -> Verified:
    """Safe beside whoever makes one. Raises `BackupError` when there is no such backup."""
    folder = folder or backup_dir()
    backup = find_backup(name, folder)
    store = BlockStore(folder)
    try:
        files = list(read_listing(store, backup))
    except BackupError as error:
        return Verified(backup.name, 0, 0, (error.message,))
    damaged = check_files(store, files, progress)
    problems = [f"{file.path}: {damaged[name]}" for file in files for name in file.blocks if name in damaged]
    if not problems:
        problems = _control_problems(store, folder, files)
    return Verified(backup.name, len(files), sum(file.size for file in files), tuple(problems))


def check_files(store: BlockStore, files: list[StoredFile], progress: ReportProgress) -> dict[str, str]:
    """Damaged block → why. A block that many files share is read once."""
    damaged: dict[str, str] = {}
    seen: set[str] = set()
    for number, file in enumerate(files, 1):
        for name in file.blocks:
            if name not in seen:
                seen.add(name)
                try:
                    store.get(name)
                except BlockDamaged as error:
                    damaged[name] = str(error)
        if number % _EVERY == 0 or number == len(files):
            progress(Progress("verifying", number, len(files)))
    return damaged


def _control_problems(store: BlockStore, folder: Path, files: Iterable[StoredFile]) -> list[str]:
    control = next((file for file in files if file.path == CONTROL), None)
    if control is None:
        return [f"{CONTROL}: not in the backup"]
    # Beside the backup where that can be written: the system's own temporary folder may be memory, and small.
    place = folder if os.access(folder, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place, prefix=".verify-") as work:
        path = Path(work) / CONTROL
        with path.open("wb") as file:
            file.writelines(store.read(control.blocks))
        return [f"{CONTROL}: {problem}" for problem in control_problems(path)]
