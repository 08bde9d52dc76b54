"""The folders of a backup: also empty ones come back, each with its mode and time.

A file among the others (`folders.jsonl`), so that an older version, which does not know it, can read the backup too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

FOLDERS = "folders.jsonl"


@dataclass(frozen=True, slots=True)
class StoredFolder:
    path: str
    mode: int
    mtime_ns: int


def write_folders(path: Path, folders: list[StoredFolder]) -> None:
    with path.open("w", encoding="ascii") as file:
        file.writelines(json.dumps(asdict(folder)) + "\n" for folder in folders)


def make_folders(root: Path, is_wanted: Callable[[str], bool]) -> None:
    """After the files: empty folders are made, and all get the mode and time of then. Raises `OSError`."""
    listed = root / FOLDERS
    if not listed.exists():  # made by an older version
        return
    found = [StoredFolder(**json.loads(line)) for line in listed.read_text("ascii").splitlines()]
    wanted = [
        folder for folder in found if is_wanted(f"{folder.path}/") and ".." not in PurePosixPath(folder.path).parts
    ]
    for folder in wanted:
        (root / folder.path.lstrip("/")).mkdir(parents=True, exist_ok=True)
    for folder in sorted(wanted, key=lambda one: one.path.count("/"), reverse=True):
        path = root / folder.path.lstrip("/")
        # The server moves a root into its place, for which it must be allowed to write there.
        path.chmod(folder.mode | (0o700 if folder.path.count("/") == 1 else 0))
        os.utime(path, ns=(folder.mtime_ns, folder.mtime_ns))
