"""Signs of life of the processes that answer nobody: one empty file each, touched while they get their work done."""

from __future__ import annotations

import time
from pathlib import Path

FOLDER = "alive"


def say_alive(run_dir: Path, name: str) -> None:
    """Touch `run_dir`/alive/`name`. Raises OSError when that is not possible."""
    folder = run_dir / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / name).touch()


def say_gone(run_dir: Path, name: str) -> None:
    """Ended in order: nothing is left that somebody would have to look after."""
    (run_dir / FOLDER / name).unlink(missing_ok=True)


def silent_for(run_dir: Path, name: str) -> float | None:
    """Seconds since the last sign of life, or None when there never was one."""
    try:
        return max(0.0, time.time() - (run_dir / FOLDER / name).stat().st_mtime)
    except FileNotFoundError:
        return None
