"""Disk: room and free file entries where data and backups lie."""

from __future__ import annotations

import os
from pathlib import Path

from agents.backup.catalog import backup_dir
from agents.core.paths import data_dir, local_dir
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.sentences import sentence

PROBLEM_BYTES = 200 * 1024**2
"""Below this the server does not even start."""
WARNING_BYTES = 1024**3
_WARNING_SHARE = 0.02
_TODO = "Make room: old backups, models that nobody uses, other people's files; or move the folder to another disk."


def _look(visit: Visit) -> Looking:
    yield _folder(data_dir(), "")
    for name, folder in (("local", local_dir()), ("backups", backup_dir())):
        if folder.is_dir() and folder.stat().st_dev != data_dir().stat().st_dev:
            yield _folder(folder, name)


def _folder(folder: Path, part: str) -> Seen:
    found = os.statvfs(folder)
    free, size = found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
    text = f"{free / 1024**3:.1f} of {size / 1024**3:.0f} GB are free for {folder}."
    if free < PROBLEM_BYTES:
        return Seen("problem", text, _TODO, part)
    if free < WARNING_BYTES or free < size * _WARNING_SHARE:
        return Seen("warning", text, _TODO, part)
    if found.f_files and found.f_favail < 10_000:
        return Seen(
            "warning",
            sentence("Only {f_favail} more files can be made for {folder}.", f_favail=found.f_favail, folder=folder),
            _TODO,
            part,
        )
    return Seen("ok", text, "", part)


DISK = Check("disk", "Disk space", _look)
