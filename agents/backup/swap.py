"""Swap: put restored folders in their places, and keep what was there under one name.

Every step is a rename. What was moved is written down in the order in which it happened, so that a failure is undone;
with a journal (agents/backup/journal.py) it is written to the disk before, so that a killed one is undone too.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import TracebackType

from django.utils import timezone

from agents.core.paths import data_dir

REPLACED = "replaced"


class Swap:
    """Used as a block: when it raises, everything is where it was."""

    def __init__(self) -> None:
        self.note: Callable[[str, Path, Path], None] = lambda step, source, target: None
        self.kept = _unused(data_dir() / REPLACED / timezone.now().strftime("%Y-%m-%dT%H%M%SZ"))
        self._done: list[tuple[Path, Path]] = []
        self.whole = True
        """Everything is in its new place, or all of it in the old one."""

    def __enter__(self) -> Swap:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            for source, target in reversed(self._done):
                move(target, source)
        self.whole = True

    @property
    def kept_anything(self) -> bool:
        return self.kept.exists()

    def write(self, name: str, text: str) -> None:
        """Keep something that is no file."""
        self.kept.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.kept / name).write_text(text)

    def set_aside(self, path: Path, name: str) -> None:
        """Keep what is at `path` as `name`, if there is anything but an empty folder."""
        if path.is_dir() and not any(path.iterdir()):
            self.note("removed", path, path)
            path.rmdir()
        if path.exists() or path.is_symlink():
            self._rename("aside", path, self.kept / name)

    def put(self, source: Path, target: Path) -> None:
        """`target` must be free."""
        if source.exists():
            self._rename("put", source, target)

    def _rename(self, step: str, source: Path, target: Path) -> None:
        self.note(step, source, target)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.whole = False
        move(source, target)
        self._done.append((source, target))


def _unused(path: Path) -> Path:
    numbered = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return path if not path.exists() else next(other for other in numbered if not other.exists())


def move(source: Path, target: Path) -> None:
    """A workspace may lie on another disk than the data folder: then a name is there only while all of it is."""
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        clear_beside(source, target)
        copy, gone = _beside(target), _beside(source)
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(source, copy, symlinks=True)
        else:
            shutil.copy2(source, copy, follow_symlinks=False)
        os.sync()
        copy.rename(target)
        source.rename(gone)
        clear_beside(source)


def clear_beside(*paths: Path) -> None:
    """Away with what a `move` from disk to disk that was cut short left beside these: the other place has it whole."""
    for path in map(_beside, paths):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:100]}.restoring")
