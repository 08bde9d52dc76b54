"""The whole appliance, started as `make run` starts it, on a throw-away folder; and what its processes cost."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Process:
    """One process of the stack: its role, CPU seconds so far, resident and private memory in bytes.

    Resident memory counts pages of index files that the system can take back; private memory is the process's own.
    """

    pid: int
    role: str
    cpu: float
    rss: int
    private: int


@dataclass(frozen=True, slots=True)
class Stack:
    data: Path
    client: httpx.Client
    pid: int
    """Of the launcher; every other process descends from it."""

    def processes(self) -> list[Process]:
        parents: dict[int, list[int]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                except OSError:
                    continue  # it ended meanwhile
                parents.setdefault(int(stat[1]), []).append(int(entry.name))
        found, waiting = [], [self.pid]
        while waiting:
            pid = waiting.pop()
            waiting += parents.get(pid, [])
            try:
                found.append(_process(pid))
            except OSError:
                continue
        return sorted(found, key=lambda process: process.role)

    def cpu(self) -> dict[str, float]:
        """CPU seconds by role."""
        spent: dict[str, float] = {}
        for process in self.processes():
            spent[process.role] = spent.get(process.role, 0.0) + process.cpu
        return spent


_ROLES = {
    "granian": "web",
    "workers.model_worker": "model worker",
    "workers.process": "models",
    "valkey": "broker",
    "beat": "beat",
    "launch.watch": "watcher",
    "celery": "worker",
}


def _process(pid: int) -> Process:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    stat = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    role = next((role for mark, role in _ROLES.items() if mark in command), "launcher")
    if role == "worker" and " beat " in command:
        role = "beat"
    resident, shared = (int(pages) * _PAGE for pages in Path(f"/proc/{pid}/statm").read_text().split()[1:3])
    return Process(pid, role, (int(stat[11]) + int(stat[12])) / _TICKS, resident, resident - shared)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_stack(**options: str) -> Iterator[Stack]:
    """Ready, with its model loaded; everything is stopped and removed at the end."""
    key = secrets.token_urlsafe(40)
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="ma-") as folder:
        environment = {
            **os.environ,
            "MEMORY_DATA_DIR": folder,
            "MEMORY_PORT": str(port),
            "MEMORY_BOOTSTRAP_KEY": key,
            "MEMORY_DEMO": "0",
            **options,
        }
        log = Path(folder) / "launcher.log"
        with log.open("wb") as out:
            launcher = subprocess.Popen(
                [sys.executable, "-m", "memory_appliance.launch"], env=environment, stdout=out, stderr=out
            )
            try:
                with httpx.Client(
                    base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {key}"}, timeout=60
                ) as client:
                    _wait(client, launcher, log)
                    yield Stack(Path(folder), client, launcher.pid)
            finally:
                launcher.send_signal(signal.SIGTERM)
                launcher.wait(30)


def _wait(client: httpx.Client, launcher: subprocess.Popen[bytes], log: Path) -> None:
    """Until the model answers: readiness alone comes earlier."""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        if launcher.poll() is not None:
            raise SystemExit(f"the stack did not start:\n{log.read_text()}")
        try:
            health = client.get("/health/ready").json()
        except (httpx.TransportError, ValueError):
            health = {}
        if health.get("status") == "ok":
            return
        time.sleep(0.5)
    raise SystemExit(f"the stack was not ready in ten minutes: {health}")
