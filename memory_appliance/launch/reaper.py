"""Nothing survives us: orphans of our programs become our children, and are killed when the server ends."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Linux: a process whose parent dies gets us as its parent, so that we still know of it. Elsewhere nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wait_for(pid: int) -> int:
    """Wait for that child, burying the orphans that die meanwhile. Returns its exit code, negative for a signal."""
    while True:
        dead, status = os.waitpid(-1, 0)
        if dead == pid:
            return os.waitstatus_to_exitcode(status)


def kill_children(patience_seconds: float = 5.0) -> None:
    """Kill what is left, and what that leaves in turn, until there is nobody."""
    deadline = time.monotonic() + patience_seconds
    while time.monotonic() < deadline:
        for pid in children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            dead, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if dead == 0:
            time.sleep(0.02)


def children() -> list[int]:
    """Process ids of our living children (Linux; elsewhere none are known)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # pid (name with any characters) state ppid …
            parent = stat.read_text(errors="replace").rpartition(")")[2].split()[1]
        except (OSError, IndexError):
            continue  # it has gone meanwhile
        if int(parent) == os.getpid():
            found.append(int(stat.parent.name))
    return found
