"""Data folder: what the server must write can be written, and what is private is not open to others."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from agents.backup.catalog import backup_dir
from agents.backup.options import secret_key_file
from agents.core.paths import data_dir, local_dir
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.sentences import sentence

_FOLDERS = ("", "workspaces", "history", "transcripts", "run")
_LOCAL_FOLDERS = ("", "indexes", "models", "logs", "run")


def _look(visit: Visit) -> Looking:
    own = data_dir()
    wanted = {*(own / name for name in _FOLDERS), *(local_dir() / name for name in _LOCAL_FOLDERS), backup_dir()}
    folders = sorted(folder for folder in wanted if folder.is_dir())
    unwritable = {folder: reason for folder in folders if (reason := _why_not_writable(folder))}
    for folder, reason in unwritable.items():
        yield Seen(
            "problem",
            sentence(
                "{folder} cannot be written: {reason} ({owner}; this is user {geteuid}).",
                folder=folder,
                reason=reason,
                owner=_owner(folder),
                geteuid=os.geteuid(),
            ),
            sentence(
                "Mount it for writing, or give it to the server's user: chown -R {geteuid} {folder}",
                geteuid=os.geteuid(),
                folder=folder,
            ),
            part=folder.name if folder != own else "root",
        )
    readable = [path for path in _private() if path.exists() and path.stat().st_mode & 0o077]
    for path in readable:
        yield Seen(
            "warning",
            sentence("{path} can be read by other users of this machine ({owner}).", path=path, owner=_owner(path)),
            sentence("chmod go-rwx {path}", path=path),
            part=f"open-{path.name}",
        )
    if not unwritable and not readable:
        yield Seen(
            "ok", sentence("{own}: written to {count} folders, private files are private.", own=own, count=len(folders))
        )


def _private() -> list[Path]:
    return [secret_key_file(), data_dir() / "run", data_dir() / "history", data_dir() / "transcripts", backup_dir()]


def _why_not_writable(folder: Path) -> str:
    """By really writing: modes alone know nothing of read-only disks and of quotas."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"canary")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _owner(path: Path) -> str:
    found = path.stat()
    return f"owner {found.st_uid}:{found.st_gid}, mode {found.st_mode & 0o7777:o}"


DATA_FOLDER = Check("data-folder", "Data folder", _look)
