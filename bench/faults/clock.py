"""A clock that jumps: the whole server runs on libfaketime (Debian: faketime), which reads its time from a file."""

from __future__ import annotations

import time
from pathlib import Path

from tests.integration.stack.server import Server

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
SECONDS = 15.0


def options(file: Path) -> dict[str, str]:
    file.write_text("+0\n")
    return {
        "LD_PRELOAD": str(LIBRARY),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_RESET": "1",
    }


def jump(server: Server, offset: str) -> None:
    (server.data_dir.parent / "clock").write_text(f"{offset}\n")
    time.sleep(SECONDS)
