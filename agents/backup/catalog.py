"""The list of backups: one small file each, written last, whole, and only when everything it names is on the disk."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from agents.backup.blocks import BlockDamaged, BlockStore
from agents.backup.values import Backup, BackupError, StoredFile
from agents.locking.locks import data_lock
from search.sentences import sentence

log = logging.getLogger(__name__)

NAME = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z(?:-\d{1,3})?")
LATEST = "latest"
WORK_PREFIX = ".work-"
"""Of what lies in the folder only while a backup is made."""
_LISTING_LINES = 1_000
"""Files named in one block of the listing."""


def backup_dir() -> Path:
    return Path(settings.MEMORY_BACKUP_DIR)


@contextmanager
def store_lock(folder: Path) -> Iterator[None]:
    """One process at a time changes the store; Raises `BackupError`."""
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            taken = held.enter_context(data_lock(folder / ".lock"))()
        except OSError as error:
            raise unwritable(folder, error) from error
        if not taken:
            raise BackupError(
                sentence("Another backup is being made."),
                hint=sentence("Wait until it is done."),
                code="backup_running",
            )
        yield


def unwritable(folder: Path, error: OSError) -> BackupError:
    return BackupError(
        sentence("The folder of backups {folder} cannot be used: {strerror}.", folder=folder, strerror=error.strerror),
        hint=sentence("Make room, give the server's user the right to write there, or set MEMORY_BACKUP_DIR."),
    )


def list_backups(folder: Path | None = None) -> tuple[Backup, ...]:
    """Newest first. What is no complete backup is none, and not listed."""
    folder = folder or backup_dir()
    found = (_read(path) for path in folder.glob("*.json") if NAME.fullmatch(path.stem))
    return tuple(sorted((backup for backup in found if backup is not None), key=_age, reverse=True))


def find_backup(name: str, folder: Path | None = None) -> Backup:
    """By name, or the newest whole one by `latest`. Raises `BackupError`."""
    folder = folder or backup_dir()
    known = list_backups(folder)
    wanted = [one for one in known if (not one.control_only if name == LATEST else one.name == name)]
    if wanted:
        return wanted[0]
    names = ", ".join(one.name for one in known[:5])
    raise BackupError(
        sentence("There is no backup {name} in {folder}.", name=name, folder=folder),
        hint=sentence("The newest are {names}.", names=names)
        if names
        else sentence("None was made yet: manage.py backup."),
        code="not_found",
    )


def unused_name(folder: Path, moment: datetime) -> str:
    name = moment.strftime("%Y-%m-%dT%H%M%SZ")
    for number in range(2, 999):
        if not (folder / f"{name}.json").exists():
            return name
        name = f"{name[:18]}-{number}"
    raise BackupError(sentence("Too many backups were made in this second."), hint=sentence("Try again."))


def write_listing(store: BlockStore, files: list[StoredFile]) -> tuple[str, ...]:
    """The list of files as blocks; a stretch of files that did not change is stored once for all backups."""
    lines = [json.dumps(asdict(file), separators=(",", ":")).encode() + b"\n" for file in files]
    return tuple(
        store.put(b"".join(lines[start : start + _LISTING_LINES])) for start in range(0, len(lines), _LISTING_LINES)
    )


def read_listing(store: BlockStore, backup: Backup) -> Iterator[StoredFile]:
    """Raises `BackupError` where the list itself is damaged."""
    for name in backup.listing:
        try:
            block = store.get(name)
        except BlockDamaged as error:
            raise BackupError(
                sentence("Backup {name} is damaged: {error}.", name=backup.name, error=error),
                hint=sentence("Use another one."),
            ) from error
        for line in block.splitlines():
            row = json.loads(line)
            yield StoredFile(**{**row, "seen": tuple(row["seen"]), "blocks": tuple(row["blocks"])})


def publish(backup: Backup) -> None:
    """From here on it counts. Everything it names is synced to the disk before."""
    values = asdict(backup)
    del values["path"]
    body = json.dumps({**values, "made_at": backup.made_at.isoformat()}, indent=1)
    beside = backup.path.with_name(f"{WORK_PREFIX}{secrets.token_hex(8)}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(json.dumps({"sha256": hashlib.sha256(body.encode()).hexdigest()}) + "\n" + body)
        os.sync()
        beside.replace(backup.path)
        os.sync()
    finally:
        beside.unlink(missing_ok=True)


def used_blocks(folder: Path) -> set[str]:
    """Every block that some backup names. Raises `BackupError` rather than leaving one out."""
    store = BlockStore(folder)
    used: set[str] = set()
    for path in folder.glob("*.json"):
        backup = _read(path) if NAME.fullmatch(path.stem) else None
        if backup is None:
            raise BackupError(
                sentence("{path} cannot be read, so nobody knows which blocks it needs.", path=path),
                hint=sentence("Move it away if you can do without that backup."),
            )
        used.update(backup.listing)
        for file in read_listing(store, backup):
            used.update(file.blocks)
    return used


def _read(path: Path) -> Backup | None:
    try:
        head, _, body = path.read_text().partition("\n")
        if json.loads(head)["sha256"] != hashlib.sha256(body.encode()).hexdigest():
            log.warning("%s is damaged: it is not what was written", path.name)
            return None
        return _backup(path, json.loads(body))
    except (OSError, ValueError, LookupError, TypeError) as error:
        log.warning("%s is no list of a backup: %s", path.name, error)
        return None


def _backup(path: Path, values: dict[str, Any]) -> Backup:
    known = {name: values[name] for name in Backup.__slots__ if name != "path"}
    for name in ("agents", "left_out", "listing"):
        known[name] = tuple(known[name])
    known["made_at"] = datetime.fromisoformat(known["made_at"])
    return Backup(**known, path=path)


def _age(backup: Backup) -> tuple[datetime, str]:
    return (backup.made_at, backup.name)
