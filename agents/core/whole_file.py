"""write_whole(): a file of the server's own is seen whole or not at all; one that was cut short does not stay.

What is being written lies in the folder `.new` of its room, locked; a start removes what nobody holds any more.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

from agents.core.paths import make_folder

NEW = ".new"


def write_whole(path: Path, data: bytes, *, room: Path, lasting: bool = True) -> None:
    """Put `data` at `path`, its folders made when missing. `room` is a folder above it on the same disk.

    `lasting`: on the disk when this returns, which what can be made again need not be. Raises `OSError`; then nothing
    is left.
    """
    make_folder(path.parent)
    (room / NEW).mkdir(exist_ok=True, mode=0o700)
    beside = room / NEW / secrets.token_hex(8)
    try:
        with beside.open("xb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(data)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def remove_unfinished(room: Path, *, idle_seconds: float = 0) -> int:
    """Remove what processes that died were writing in this room, and have not for so long. How many files that were."""
    gone = 0
    with suppress(FileNotFoundError):
        for path in (room / NEW).iterdir():
            with suppress(OSError), path.open("rb") as file:  # held by its writer, or in its place by now
                if idle_seconds and time.time() - path.stat().st_mtime < idle_seconds:
                    continue
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
                gone += 1
    return gone
