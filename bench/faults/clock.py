"""A clock that is set: the whole server runs on another wall clock (`other_clock.c`) than the machine's."""

from __future__ import annotations

import struct
import time
from pathlib import Path

from bench.faults.libraries import compiled
from tests.integration.stack.server import Server

DAY = 86_400
SECONDS = 15.0


def options(folder: Path) -> dict[str, str]:
    """For a server whose clock is right, to begin with."""
    set_to(folder, 0)
    return {"LD_PRELOAD": str(compiled("other_clock.c", folder)), "OTHER_CLOCK": str(folder / "clock")}


def set_to(folder: Path, seconds: int) -> None:
    with (folder / "clock").open("r+b" if (folder / "clock").exists() else "wb") as file:
        file.write(struct.pack("=q", seconds))


def jump(server: Server, days: int) -> None:
    """To `days` from the machine's own time."""
    set_to(server.data_dir.parent, days * DAY)
    time.sleep(SECONDS)
