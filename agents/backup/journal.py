"""The journal of an agent's restore: a killed one is undone by the next start or restore, and named by the doctor.

One file per restore in the data folder, locked while the restore runs: the agent's row of before, then each step
before it is taken. Whether the rows of then were committed is seen by the agent's number, which is a new one then; in
that case everything was in its place before, and only the file is left to remove.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.apart import apart
from agents.backup.swap import move
from agents.models import Agent
from agents.paths import data_dir

log = logging.getLogger(__name__)

PREFIX = "restore-of-"
Note = Callable[[str, Path, Path], None]


@contextmanager
def journal(slug: str, kept: Path) -> Iterator[Note]:
    """Gone again when the block ends, also by an error: then the steps were undone. Raises `OSError`."""
    path = data_dir() / f"{PREFIX}{slug}"
    before = Agent.objects.filter(slug=slug).values_list("pk", flat=True).first()
    with path.open("x") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        def write(values: object) -> None:
            file.write(json.dumps(values) + "\n")
            file.flush()
            os.fsync(file.fileno())

        write({"slug": slug, "before": before, "kept": _place(kept)})
        try:
            yield lambda step, source, target: write([step, _place(source), _place(target)])
        finally:
            path.unlink()


def _place(path: Path) -> str:
    """Relative below the data folder, which may be moved before the next start."""
    return str(path.relative_to(data_dir()) if path.is_relative_to(data_dir()) else path)


def unfinished_restores() -> list[Path]:
    return sorted(data_dir().glob(f"{PREFIX}*"))


def has_unfinished_restore(slug: str) -> bool:
    return (data_dir() / f"{PREFIX}{slug}").exists()


def undo_unfinished() -> list[str]:
    """Put back what restores that were killed had moved; the slugs of their agents. One that cannot be undone waits."""
    undone = []
    for path in unfinished_restores():
        with apart(path.name.removeprefix(PREFIX), "undoing a restore that was cut short"):
            undone += _undo(path)
    return undone


def _undo(path: Path) -> list[str]:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return []  # it is at work
        lines = [line for line in file if line.endswith("\n")]  # a torn line stands for a step that was not taken
    undone = []
    if lines:
        head, *steps = map(json.loads, lines)
        now = Agent.objects.filter(slug=head["slug"]).values_list("pk", flat=True).first()
        if now == head["before"]:
            undone.append(head["slug"])
            log.warning("a restore of %s was cut short and is undone", head["slug"])
            for number, (step, source, target) in reversed(list(enumerate(steps))):
                aside = data_dir() / head["kept"] / "undone" / str(number)
                _take_back(step, data_dir() / source, data_dir() / target, aside)
    path.unlink()
    return undone


def _take_back(step: str, source: Path, target: Path, aside: Path) -> None:
    """May be cut short itself and done again. What stands in a place is kept as `aside`: it may have grown since."""
    if step == "removed":
        source.mkdir(parents=True, exist_ok=True)
    elif step == "put" and target.exists() and not _still_to_come(source, target):
        _set_aside(target, aside)
    elif step == "aside" and (target.exists() or target.is_symlink()):
        if source.exists() or source.is_symlink():
            _set_aside(source, aside)
        move(target, source)


def _still_to_come(source: Path, target: Path) -> bool:
    """A rename leaves no source; from one disk to another the source goes last."""
    return source.exists() and source.stat().st_dev == target.stat().st_dev


def _set_aside(path: Path, aside: Path) -> None:
    while aside.exists():
        aside = aside.with_name(f"{aside.name}-again")
    aside.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    move(path, aside)
