"""Stop a forked process with SIGKILL at each line that a write executes, once, and look what a start makes of it.

Not a test by itself: `killed_writes.py` and its like say what is written and what must hold. Each line gets a data
folder as it was before, a process that dies on its first arrival there, and another that starts, tries again and looks.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import traceback
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
    """Lines at which a process was killed, and the faults that were seen after one of them."""

    killed: list[Line] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def kill_at_every_line(scenario: Scenario, *, data: Path, rooms: Sequence[str]) -> Report:
    """`data` is the server's data folder, `rooms` are parts of paths of the source files whose lines count.

    Django is set up on `data`, its database is migrated, and no connection is open.
    """
    before = data.with_name(f"{data.name}.before")
    _child(scenario.prepare)
    shutil.rmtree(before, ignore_errors=True)
    shutil.copytree(data, before, symlinks=True)
    lines = _child(lambda: _executed(scenario.write, rooms))
    report = Report()
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


def _executed(write: Callable[[], None], rooms: Sequence[str]) -> list[Line]:
    """Each line once, in the order of the first arrivals."""
    seen: dict[Line, None] = {}
    _traced(write, rooms, lambda line: seen.setdefault(line))
    return list(seen)


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
