"""Fleet: two real servers on one PostgreSQL, each with its own data folder, broker and port."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integration.stack.server import KEY, ROOT, Server, free_port, until
from tests.postgres import Postgres

SECRET = "fleet-secret-0123456789abcdef-0123456789"


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


class Node(Server):
    """One of the two."""

    name: str
    options: dict[str, str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def up(self) -> Node:
        self.start(**self.options)
        return self

    def ask(self, method: str, path: str, body: Any = None, *, key: str = KEY, **headers: str) -> Answer:
        """Whatever the answer is, as it came over the wire. `body` is sent as it is when it is bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"Authorization": f"Bearer {key}"} if key else {}
        sent |= {"Content-Type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.getheaders(), answer.read())
        finally:
            connection.close()

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_")}
        environment |= {"MEMORY_DATA_DIR": str(self.data_dir), "MEMORY_PORT": str(self.port), **self.options}
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    def kill_all(self) -> None:
        """As if the machine had lost its power."""
        self.process.kill()
        until("everything is gone", self._all_killed, 20)

    def _all_killed(self) -> bool:
        pids = self.processes()
        for pid in pids:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue
        return not pids


@dataclass
class Fleet:
    postgres: Postgres
    a: Node
    b: Node

    def other(self, node: Node) -> Node:
        return self.b if node is self.a else self.a


def make_node(folder: Path, name: str, database: str, **options: str) -> Node:
    node = Node(folder / name, free_port())
    node.name = name
    node.options = {
        "DATABASE_URL": database,
        "MEMORY_NODE_NAME": name,
        "MEMORY_NODE_URL": node.url,
        "MEMORY_NODE_SECRET": SECRET,
        "MEMORY_SECRET_KEY": "fleet-web-secret-0123456789abcdef-0123456789",
        "MEMORY_ADMIN_PASSWORD": "correct horse battery",
        "MEMORY_EMBED_MODEL": "none",
        **options,
    }
    return node


def contents(folder: Path) -> dict[str, str]:
    """Every file below the folder with its hash."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "locks" not in path.parts
    }
