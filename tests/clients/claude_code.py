"""ClaudeCode: the real program with a home of its own and the loopback model."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.clients.model_server import MODEL
from tests.clients.packages import search_path
from tests.integration.stack.server import ROOT

README = ROOT / "integrations" / "claude-code" / "README.md"
TOOLS = "mcp__plugin_memory-appliance_memory"


@dataclass
class ClaudeCode:
    bin_dir: Path
    home: Path
    model_url: str
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
        model = {"ANTHROPIC_BASE_URL": self.model_url, "ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_MODEL": MODEL}
        return {"HOME": str(self.home), "PATH": search_path(self.bin_dir), **quiet, **model, **self.extra}

    def shell(self, line: str, folder: Path = ROOT) -> str:
        done = subprocess.run(
            ["bash", "-euc", line],
            cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def turn(self, prompt: str, *options: str) -> list[dict[str, Any]]:
        """All that one prompt makes Claude Code say, event by event."""
        folder = self.home / "project"
        folder.mkdir(exist_ok=True)
        words = " ".join(options)
        line = f'claude -p "$PROMPT" --output-format stream-json --verbose --allowedTools {TOOLS} {words}'
        self.extra["PROMPT"] = prompt
        return [json.loads(said) for said in self.shell(line, folder).splitlines() if said.startswith("{")]


def readme_lines() -> str:
    """The lines that install the plugin, as the README has them; what a person fills in stands in an indented block."""
    return re.findall(r"^```sh\n(.*?)^```", README.read_text(), re.M | re.S)[0]
