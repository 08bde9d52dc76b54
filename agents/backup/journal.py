"""The journal of a restore: a killed one is undone by the next start or restore; the doctor names an agent's.

One file per restore in the data folder, locked while the restore runs: what it brings back, then each step before it is
taken. Whether its rows were committed is asked of the control database: then everything was in its place before, and
only the file is left to remove.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from agents.backup.swap import Swap, clear_beside, move
from agents.core.apart import apart
from agents.core.paths import data_dir
from agents.models import Agent

log = logging.getLogger(__name__)

PREFIX = "restore-of-"


@contextmanager
def journal(path: Path, swap: Swap, **head: Any) -> Iterator[None]:
    """The steps of `swap` go to the file `path`, which is gone again when the block ends, also by an error that was
    undone. What could not be undone is left to the next start. Raises `OSError`.
    """
    with path.open("x") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        def write(values: object) -> None:
            file.write(json.dumps(values) + "\n")
            file.flush()
            os.fsync(file.fileno())

        write({**head, "kept": _place(swap.kept)})
        swap.note = lambda step, source, target: write([step, _place(source), _place(target)])
        try:
            yield
        finally:
            if swap.whole:
                path.unlink()


def journal_of(slug: str) -> Path:
    return data_dir() / f"{PREFIX}{slug}"


def _place(path: Path) -> str:
    """Relative below the data folder, which may be moved before the next start."""
    return str(path.relative_to(data_dir()) if path.is_relative_to(data_dir()) else path)


def unfinished_restores() -> list[Path]:
    """Of single agents."""
    return sorted(data_dir().glob(f"{PREFIX}*"))


def undo_unfinished() -> list[str]:
    """Put back what restores of agents that were killed had moved; their slugs. One that cannot be undone waits."""
    undone = []
    for path in unfinished_restores():
        slug = path.name.removeprefix(PREFIX)
        with apart(slug, "undoing a restore that was cut short"):
            if undo(path, _rows_of_then):
                log.warning("a restore of %s was cut short and is undone", slug)
                undone.append(slug)
    return undone


def _rows_of_then(head: dict[str, Any]) -> bool:
    """An agent that came back has a new number."""
    return bool(Agent.objects.filter(slug=head["slug"]).values_list("pk", flat=True).first() != head["before"])


def undo(path: Path, is_committed: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Take the steps of this journal back, the last one first; its head, or {} when there was nothing to undo.

    Raises `OSError` for a step that cannot be taken back now; then the journal stays.
    """
    try:
        with path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            head, *steps = [line for line in file if line.endswith(b"\n")] or [b"{}\n"]  # a torn one was not taken
            undone: dict[str, Any] = json.loads(head)
            if steps and not is_committed(undone):
                _take_all_back(file, undone, len(head), steps)
            else:
                undone = {}
    except (FileNotFoundError, BlockingIOError):
        return {}  # it is at work, or came to its end just now
    path.unlink()
    return undone


def _take_all_back(file: BinaryIO, head: dict[str, Any], start: int, steps: list[bytes]) -> None:
    """Each step leaves the journal when it is taken back, so that this may be cut short itself."""
    end = start + sum(map(len, steps))
    for number, line in reversed(list(enumerate(steps))):
        step, source, target = json.loads(line)
        aside = data_dir() / head["kept"] / "undone" / str(number)
        _take_back(step, data_dir() / source, data_dir() / target, aside)
        clear_beside(data_dir() / source, data_dir() / target)
        end -= len(line)
        file.truncate(end)
        os.fsync(file.fileno())


def _take_back(step: str, source: Path, target: Path, aside: Path) -> None:
    """What stands in a place is kept as `aside`: it may have grown since."""
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
