"""Server: the real thing, started by the launcher on a free port and a data folder of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from workers.sockets import socket_dir

ROOT = Path(__file__).resolve().parents[3]
KEY = "stack-test-key-0123456789abcdef-0123456789"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def until(what: str, check: Callable[[], Any], seconds: float) -> Any:
    """The first true answer of `check`; fails the test when there is none in time."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if answer := check():
            return answer
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds:.0f} s: {what}")


@dataclass
class Server:
    data_dir: Path
    port: int

    root = ROOT
    """Of the source that is run."""

    def launch(self, **options: str) -> subprocess.Popen[str]:
        """Start the launcher; what it says is collected in `<data>.out` beside the data folder."""
        names = [name for name in os.environ if name.startswith("MEMORY_") or name == "DATABASE_URL"]
        environment = {name: value for name, value in os.environ.items() if name not in names}
        environment |= {"MEMORY_DATA_DIR": str(self.data_dir), "MEMORY_PORT": str(self.port)}
        environment |= {"MEMORY_BOOTSTRAP_KEY": KEY, "MEMORY_DEMO": "0", **options}
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memory_appliance.launch"],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self.out.open("w"),
            stderr=subprocess.STDOUT,
            text=True,
        )
        return self.process

    @property
    def out(self) -> Path:
        return self.data_dir.with_suffix(".out")

    def said(self) -> str:
        return self.out.read_text()

    def start(self, **options: str) -> Server:
        process = self.launch(**options)

        def ready() -> bool:
            assert process.poll() is None, self.said()
            return self.health() is not None

        until(f"ready\n{self.said()}", ready, 90)
        return self

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def health(self) -> dict[str, Any] | None:
        try:
            return dict(self.call("GET", "/health/ready")["checks"])
        except (HTTPError, OSError):
            return None

    def agent(self, slug: str) -> Path:
        """Create an agent and let its first, empty update pass; returns its workspace."""
        agent = self.call("POST", "/api/v1/agents", {"slug": slug})
        until("first update", lambda: self.call("GET", f"/api/v1/agents/{slug}")["last_update"], 30)
        return Path(agent["workspace"])

    def knows(self, slug: str, notes: str, words: str) -> None:
        """Create an agent whose `MEMORY.md` holds these notes, and wait until these words of them are found."""
        (self.agent(slug) / "MEMORY.md").write_text(notes, encoding="utf-8")
        self.done(self.update(slug))
        until("indexed", lambda: self.finds(slug, words, "MEMORY.md"), 30)

    def search(self, slug: str, query: str, mode: str = "search", **more: Any) -> dict[str, Any]:
        body = {"query": query, "mode": mode, "min_score": 0.0, **more}
        return dict(self.call("POST", f"/api/v1/agents/{slug}/search", body))

    def finds(self, slug: str, query: str, path: str, mode: str = "search") -> bool:
        """Whether `path` is the first result."""
        results = self.search(slug, query, mode)["results"]
        return bool(results) and results[0]["path"] == path

    def update(self, slug: str) -> int:
        run = self.call("POST", f"/api/v1/agents/{slug}/update")["run"]
        return int(run["id"] if isinstance(run, dict) else run)

    def run(self, run_id: int) -> dict[str, Any]:
        return dict(self.call("GET", f"/api/v1/runs/{run_id}"))

    def done(self, run_id: int, seconds: float = 60) -> dict[str, Any]:
        """Wait for the run's end; fails unless it is `done`."""
        ended = until(f"run {run_id} ends", lambda: self._ended(run_id), seconds)
        assert ended["state"] == "done", ended
        return dict(ended)

    def _ended(self, run_id: int) -> dict[str, Any] | None:
        run = self.run(run_id)
        return None if run["state"] in ("queued", "running") else run

    def processes(self, words: str = "") -> list[int]:
        """Process ids of this server's processes whose command line has `words` in it."""
        return [pid for pid, command in self._commands().items() if words in command]

    def kill(self, words: str) -> None:
        pids = self.processes(words)
        assert pids, f"no process has {words!r}: {self._commands()}"
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        # What is dying must not take a connection of the next call.
        until("they are gone", lambda: not set(pids) & set(self.processes(words)), 10)

    def _commands(self) -> dict[int, str]:
        """Everything that runs with this data folder in its environment, whoever its parent is."""
        mark = f"MEMORY_DATA_DIR={self.data_dir}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (OSError, ValueError):
                continue  # not ours to read, or gone meanwhile
        return {pid: command for pid, command in found.items() if command}

    def sockets(self) -> list[Path]:
        return list(socket_dir(self.data_dir).glob("*.sock"))
