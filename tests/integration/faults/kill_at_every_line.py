"""Stop a forked process with SIGKILL at each line that a write executes, once, and look what a start makes of it.

Not a test by itself: `killed_writes.py` and its like say what is written and what must hold. Each line gets a data
folder as it was before, a process that dies on its first arrival there, and another that starts, tries again and looks.

Of lines between which nothing on the disk changes only the first is tried: a process that dies at any of them leaves
the same. With `all_lines` every one is.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import traceback
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

Line = tuple[str, int]


@dataclass(frozen=True)
class Scenario:
    """`prepare` makes what is there before; `write` is killed; `look` starts, tries again and names what is wrong."""

    prepare: Callable[[], None]
    write: Callable[[], None]
    look: Callable[[], list[str]]


@dataclass
class Report:
    """How many lines the write executes, those at which a process was killed, and the faults seen after one of them."""

    lines: int = 0
    killed: list[Line] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def kill_at_every_line(scenario: Scenario, *, data: Path, rooms: Sequence[str], all_lines: bool = False) -> Report:
    """`data` is the server's data folder, `rooms` are parts of paths of the source files whose lines count.

    Django is set up on `data`, its database is migrated, and no connection is open.
    """
    before = data.with_name(f"{data.name}.before")
    _child(scenario.prepare)
    shutil.rmtree(before, ignore_errors=True)
    shutil.copytree(data, before, symlinks=True)
    executed = _child(lambda: _executed(scenario.write, rooms, data))
    lines = [(file, number) for file, number, changed in executed if changed or all_lines]
    report = Report(lines=len(executed))
    for file, number in lines:
        _again(data, before)
        if _killed_at(scenario.write, rooms, (file, number)):
            report.killed.append((file, number))
        told = _child(scenario.look)
        report.faults += [f"{file}:{number}: {fault}" for fault in told]
        print(f"{len(report.killed)} of {len(lines)}", *told, file=sys.stderr, flush=True)
    return report


def _again(data: Path, before: Path) -> None:
    shutil.rmtree(data)
    shutil.copytree(before, data, symlinks=True)


def _executed(write: Callable[[], None], rooms: Sequence[str], data: Path) -> list[tuple[str, int, bool]]:
    """Each line once, in the order of the first arrivals, and whether the disk is another than at the line before."""
    seen: dict[Line, bool] = {}
    before = None

    def arrived(line: Line) -> None:
        nonlocal before
        if line not in seen:
            now = _on_disk(data)
            seen[line] = now != before
            before = now

    _traced(write, rooms, arrived)
    return [(*line, changed) for line, changed in seen.items()]


def _on_disk(data: Path) -> dict[str, object]:
    """What a process that starts now would see, file by file; SQLite's shared memory is made anew by whoever comes."""
    seen: dict[str, object] = {}
    for folder, folders, names in os.walk(data):
        seen |= {os.path.join(folder, name): None for name in folders}  # noqa: PTH118 - 200 times a thousand files
        for name in names:
            if not name.endswith("-shm"):
                path = Path(folder, name)
                seen[str(path)] = (path.stat().st_mode, zlib.crc32(path.read_bytes()))
    return seen


def _killed_at(write: Callable[[], None], rooms: Sequence[str], wanted: Line) -> bool:
    """Whether the process arrived there; it does, unless the write takes another way than before."""
    child = os.fork()
    if not child:
        try:
            _traced(write, rooms, lambda line: line == wanted and os.kill(os.getpid(), signal.SIGKILL))
        except BaseException:  # noqa: BLE001 - the child must never go on as a second parent
            traceback.print_exc()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _traced(write: Callable[[], None], rooms: Sequence[str], arrived: Callable[[Line], Any]) -> None:
    def trace(frame: FrameType, event: str, argument: object) -> Any:
        file = frame.f_code.co_filename
        if not any(room in file for room in rooms):
            return None
        if event == "line":
            arrived((file, frame.f_lineno))
        return trace

    sys.settrace(trace)
    try:
        write()
    finally:
        sys.settrace(None)


def _child(work: Callable[[], Any]) -> Any:
    """What `work` answers, as JSON brings it over, from a process of its own: no connection is inherited."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = work()
        except BaseException:  # noqa: BLE001 - the child must never go on as a second parent
            answer = [f"it raised: {traceback.format_exc()}"]
        with os.fdopen(writing, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    answer = json.loads(told)
    return [tuple(one) if isinstance(one, list) else one for one in answer] if isinstance(answer, list) else answer
