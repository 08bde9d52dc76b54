"""Stack: the compose file as shipped, run under a project name, a port and secrets of its own, and asked over HTTP."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "memory-compose-test"
SERVICES = ("beat", "broker", "models", "watcher", "web", "worker")
UP_SECONDS = 240


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


class Broken(Exception):
    """What was to hold did not; the message says what."""


class Away(Broken):
    """Nobody answers: right after a kill that is no fault, only for too long."""


def until(what: str, check: Callable[[], Any], seconds: float) -> Any:
    """The first true answer of `check`. Raises `Broken` when there is none in time."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        with suppress(Away):
            if answer := check():
                return answer
        time.sleep(0.25)
    raise Broken(f"not within {seconds:.0f} s: {what}")


class Stack:
    """Every command to the engine goes through here; what fails is `Broken` with the command's own last words."""

    def __init__(self, secrets_dir: Path) -> None:
        self.key = secrets.token_urlsafe(32)
        self.port, self.https_port = free_port(), free_port()
        self._secrets_dir = secrets_dir
        self._files: tuple[str, ...] = ()
        secrets_dir.mkdir()
        self.give_secret("memory_bootstrap_key", self.key)
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "COMPOSE_"))},
            "COMPOSE_PROJECT_NAME": PROJECT,
            "COMPOSE_PROFILES": "",
            "PUBLISH": f"127.0.0.1:{self.port}",
            "SECRETS": str(secrets_dir),
            "IMAGE_TAG": "compose-test",
        }

    def give_secret(self, name: str, value: str) -> None:
        (self._secrets_dir / name).write_text(value)

    def set(self, **variables: str) -> None:
        """What an owner would write into `.env`."""
        self._environment.update(variables)

    def with_files(self, *names: str) -> None:
        """From now on these compose files together."""
        self._files = tuple(part for name in names for part in ("-f", name))

    def docker(self, *arguments: str, text: str | None = None, seconds: float = 120) -> str:
        command = ["docker", *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=self._environment,
                input=text,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise Broken(f"{' '.join(command)}: not within {seconds:.0f} s") from error
        if done.returncode != 0:
            raise Broken(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[-2000:]}")
        return done.stdout

    def compose(self, *arguments: str, text: str | None = None, seconds: float = 120) -> str:
        return self.docker("compose", "--ansi", "never", *self._files, *arguments, text=text, seconds=seconds)

    def up(self, *arguments: str) -> None:
        patience = UP_SECONDS * (2 if self._files else 1)
        self.compose("up", "-d", "--wait", "--wait-timeout", str(patience), *arguments, seconds=patience + 60)

    def inspect(self, service: str) -> dict[str, Any]:
        return dict(json.loads(self.docker("inspect", self.compose("ps", "-aq", service).strip()))[0])

    def run_in(self, service: str, code: str, *, index: int = 1) -> str:
        """Python code in that container, with the server's own interpreter; `index` counts those of one service."""
        return self.compose("exec", "-T", "--index", str(index), service, "python", "-", text=code)

    def kill_main_process(self, service: str) -> None:
        """From outside, as a crash or the kernel would: `docker kill` counts as the owner's wish to stop."""
        os.kill(self.inspect(service)["State"]["Pid"], signal.SIGKILL)

    def kill_one_of(self, service: str) -> None:
        """The same, of the first container of several."""
        name = self.compose("ps", "-q", service).split()[0]
        os.kill(int(self.docker("inspect", "-f", "{{.State.Pid}}", name)), signal.SIGKILL)

    def is_healthy(self, service: str) -> bool:
        state = self.inspect(service)["State"]
        return bool(state["Running"] and state["Health"]["Status"] == "healthy")

    def restarted(self, service: str, before: int) -> bool:
        return self.is_healthy(service) and self.restarts(service) > before

    def restarts(self, service: str) -> int:
        return int(self.inspect(service)["RestartCount"])

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                content = answer.read()
        except HTTPError as error:
            raise Broken(f"{method} {path}: {error.code} {error.read(500).decode(errors='replace')}") from error
        except (OSError, HTTPException) as error:
            raise Away(f"{method} {path}: {error}") from error
        return json.loads(content) if content else None

    def over_https(self, path: str) -> tuple[int, Mapping[str, str]]:
        """Status and headers through Caddy, whose own authority must have signed its certificate."""
        authority = self.compose("exec", "-T", "caddy", "cat", "/data/caddy/pki/authorities/local/root.crt")
        trust = ssl.create_default_context(cadata=authority)
        try:
            with urllib.request.urlopen(
                f"https://localhost:{self.https_port}{path}", timeout=30, context=trust
            ) as answer:
                return answer.status, dict(answer.headers)
        except OSError as error:
            raise Broken(f"https {path}: {error}") from error

    def search(self, agent: str, query: str, mode: str) -> list[dict[str, Any]]:
        """`mode`: `search` by words alone, `vsearch` by meaning alone."""
        body = {"query": query, "mode": mode, "min_score": 0.0}
        return list(self.call("POST", f"/api/v1/agents/{agent}/search", body)["results"])

    def finds(self, agent: str, query: str, mode: str, words: str) -> bool:
        results = self.search(agent, query, mode)
        return bool(results) and words in results[0]["snippet"]

    def status(self, agent: str) -> dict[str, Any]:
        return dict(self.call("GET", f"/api/v1/agents/{agent}/status"))

    def run(self, run_id: int) -> dict[str, Any]:
        return dict(self.call("GET", f"/api/v1/runs/{run_id}"))

    def last_words(self) -> str:
        return self.compose("ps", "-a") + self.compose("logs", "--no-color", "--tail", "15")

    def left_over(self) -> Sequence[str]:
        """Containers, volumes and networks that carry the project's label."""
        mark = f"label=com.docker.compose.project={PROJECT}"
        lists = (("ps", "-aq"), ("volume", "ls", "-q"), ("network", "ls", "-q"))
        return [line for words in lists for line in self.docker(*words, "--filter", mark).split()]
