"""Temporary files in the data folder: a container has no other place for large ones, and no restart empties it."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

OLD_SECONDS = 24 * 3600.0


def remove_leftovers(folder: Path) -> int:
    """Remove what killed processes left in `folder` more than a day ago; returns how many entries.

    What cannot be removed stays: it is tried again at the next start.
    """
    removed = 0
    for entry in folder.iterdir() if folder.is_dir() else ():
        if time.time() - entry.lstat().st_mtime < OLD_SECONDS:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
        removed += 1
    return removed
