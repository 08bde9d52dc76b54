"""OpenClaw: the real gateway with a home of its own, the loopback model, and the plugin as its README installs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.clients.model_server import MODEL
from tests.clients.packages import search_path
from tests.integration.stack.server import ROOT, until

TOKEN = "gateway-token-of-the-tests-0123456789"
PATIENCE_SECONDS = 500
"""For a few starts of OpenClaw's command line, on a machine that does other things as well."""
README = ROOT / "integrations" / "openclaw" / "README.md"


@dataclass
class OpenClaw:
    """`bin_dir` has the pinned `openclaw`; `extra` is added to the environment, as a person's shell has it."""

    bin_dir: Path
    home: Path
    port: int
    model_url: str
    extra: dict[str, str] = field(default_factory=dict)

    def configure(self, **more: Any) -> None:
        model = {
            "id": MODEL,
            "name": MODEL,
            "input": ["text"],
            "reasoning": False,
            "contextWindow": 200_000,
            "maxTokens": 4000,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        }
        provider = {
            "baseUrl": f"{self.model_url}/v1",
            "apiKey": "dummy",
            "api": "openai-completions",
            "models": [model],
        }
        config = {
            "gateway": {
                "mode": "local",
                "bind": "loopback",
                "port": self.port,
                "auth": {"mode": "token", "token": TOKEN},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "models": {"providers": {"loopback": provider}},
            "agents": {"defaults": {"model": {"primary": f"loopback/{MODEL}"}}},
            **more,
        }
        file = self.home / ".openclaw" / "openclaw.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(config))

    @property
    def environment(self) -> dict[str, str]:
        own = {"HOME": str(self.home), "TMPDIR": str(self.home), "PATH": search_path(self.bin_dir)}
        quiet = {
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "OPENCLAW_NO_RESPAWN": "1",
            "OPENCLAW_SKIP_CHANNELS": "1",
            "NO_COLOR": "1",
        }
        return {**own, **quiet, **self.extra}

    def shell(self, line: str, *, code: int | None = 0) -> str:
        """What a line says, run in the folder of the project as a person would."""
        bash = shutil.which("bash") or "sh"
        done = subprocess.run(
            [bash, "-euc", line],
            cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        said = done.stdout + done.stderr
        assert code is None or done.returncode == code, f"{line}\n{done.returncode}\n{said}"
        return said

    def start(self) -> None:
        self._log = (self.home / "gateway.out").open("a")
        self._process = subprocess.Popen(
            [str(self.bin_dir / "openclaw"), "gateway", "run"],
            cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        until("the gateway is ready", self._ready, 180)

    def _ready(self) -> bool:
        assert self._process.poll() is None, self.said()[-3000:]
        return "[gateway] ready" in self.said() and self._answers()

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def stop(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._log.close()

    def said(self) -> str:
        return (self.home / "gateway.out").read_text(errors="replace")

    def turn(self, chat: str, message: str) -> str:
        """The agent's reply to a message in a chat, by the gateway's own address for programs."""
        body = {"model": "openclaw/main", "messages": [{"role": "user", "content": message}]}
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "x-openclaw-session-key": chat,
        }
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/chat/completions", data=json.dumps(body).encode(), headers=headers
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"])


def readme_lines() -> str:
    """The lines that install the plugin, as the README has them; what a person fills in stands in an indented block."""
    return re.findall(r"^```sh\n(.*?)^```", README.read_text(), re.M | re.S)[0]
