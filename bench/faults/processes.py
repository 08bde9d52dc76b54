"""Faults of processes: each is killed or stopped."""

from __future__ import annotations

import os
import signal
import time

from tests.integration.stack.server import Server

KILLED = {
    "kill -9 web": "granian",
    "kill -9 worker": "-A memory_appliance worker",
    "kill -9 beat": "memory_appliance.clock",
    "kill -9 watcher": "memory_appliance.launch.watch",
    "kill -9 models": "workers.process",
    "kill -9 broker": "valkey-server",
}


def hang(server: Server, words: str, seconds: float = 10.0) -> None:
    """The processes stand still, as on a machine that swaps, and go on."""
    pids = server.processes(words)
    assert pids, words
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def power_cut(server: Server) -> None:
    """Every process at once; then the owner starts the server again."""
    for pid in server.processes():
        os.kill(pid, signal.SIGKILL)
    server.process.wait()
    server.start()


def supervisor_dies(server: Server) -> None:
    """All programs go with it; the launcher says so and ends; the owner starts again."""
    server.kill("launch/supervisord.py")
    server.process.wait(30)
    server.start()
