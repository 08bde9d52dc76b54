"""A household with a note, and the clients that ask for it over MCP."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.stack.server import KEY, ROOT, Server

INSPECTOR = ROOT / ".cache" / "mcp-inspector"


@pytest.fixture(scope="session")
def house(server: Server) -> Server:
    """The server with an agent `house` whose memory knows where the spare key is."""
    workspace = server.agent("house")
    Path(workspace, "MEMORY.md").write_text("# House\n\n- The spare key is under the blue pot.\n")
    Path(workspace, "memory", "garden.md").write_text(
        "# Garden\n\nThe ladder stands behind the shed. 梯子在棚子后面。\n"
    )
    server.done(server.update("house"))
    return server


@pytest.fixture(scope="session")
def inspector(house: Server) -> Callable[..., Any]:
    """`inspector("--method", "tools/list")`: the MCP inspector's command line, from its public package."""
    _install()
    bin_dir = INSPECTOR / "node_modules" / ".bin"
    environment = {"PATH": f"{bin_dir}{os.pathsep}{os.environ['PATH']}", "HOME": str(house.data_dir.parent)}
    target = ["mcp-inspector", "--cli", f"http://127.0.0.1:{house.port}/mcp", "--transport", "http", "--quiet"]

    def run(*arguments: str, key: str = KEY) -> Any:
        done = subprocess.run(
            [str(bin_dir / target[0]), *target[1:], "--header", f"Authorization: Bearer {key}", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return json.loads(done.stdout or done.stderr)

    return run


def _install() -> None:
    """Once; kept beside the other caches."""
    wanted = (Path(__file__).parent / "inspector" / "package.json").read_text()
    manifest = INSPECTOR / "package.json"
    if (INSPECTOR / "node_modules" / ".bin" / "mcp-inspector").exists() and manifest.read_text() == wanted:
        return
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: the MCP inspector cannot be fetched")
    INSPECTOR.mkdir(parents=True, exist_ok=True)
    manifest.write_text(wanted)
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
    fetched = subprocess.run(command, cwd=INSPECTOR, capture_output=True, text=True, timeout=100)
    if fetched.returncode:
        pytest.skip(f"the MCP inspector cannot be fetched: {fetched.stderr.strip()[:300]}")
