"""Faults of the disk: full, read-only, slow, and files that are damaged."""

from __future__ import annotations

import errno
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.faults.stage import AGENT, overwrite
from tests.integration.stack.server import Server

FAULT_SECONDS = 15.0


@contextmanager
def small_disk(folder: Path, megabytes: int = 400) -> Iterator[Path]:
    """A disk of its own, in memory. Needs root."""
    folder.mkdir(parents=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "--lazy", str(folder))


def fill(server: Server) -> None:
    """To the last byte; then it is emptied again."""
    ballast = server.data_dir / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError as error:
                assert error.errno == errno.ENOSPC
    time.sleep(FAULT_SECONDS)
    ballast.unlink()


def read_only(server: Server, folder: str) -> None:
    """Bound over itself without the right to write, which holds for root as well."""
    path = server.data_dir / folder
    _run("mount", "--bind", str(path), str(path))
    _run("mount", "-o", "remount,bind,ro", str(path))
    time.sleep(FAULT_SECONDS)
    _run("umount", "--lazy", str(path))


def workspace_away(server: Server) -> None:
    """As a network share that is not mounted."""
    path = server.data_dir / "workspaces" / AGENT
    path.rename(path.with_name(f"{AGENT}.away"))
    time.sleep(FAULT_SECONDS)
    path.with_name(f"{AGENT}.away").rename(path)


def damaged_index(server: Server, at: float, size: int) -> None:
    overwrite(server.data_dir / "indexes" / f"{AGENT}.sqlite", at=at, size=size)


def deleted_index(server: Server) -> None:
    for path in (server.data_dir / "indexes").glob(f"{AGENT}.sqlite*"):
        path.unlink()


def damaged_model(server: Server) -> None:
    """Its weights are overwritten and the process that holds them is killed, so that it has to read them again."""
    model = max((server.data_dir / "models").rglob("*.gguf"), key=lambda path: path.stat().st_size)
    overwrite(model, at=0.5, size=1 << 20)
    server.kill("workers.process")


def slow_for_a_while(_: Server) -> None:
    """The server was started on the slow disk."""
    time.sleep(FAULT_SECONDS)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, env={**os.environ, "LC_ALL": "C"})
