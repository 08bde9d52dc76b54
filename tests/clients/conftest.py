"""What the tests of real clients share: the appliance, the model on loopback, and a client with a home of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients import claude_code as claude
from tests.clients.model_server import ModelServer
from tests.clients.openclaw import OpenClaw, readme_lines
from tests.clients.packages import install
from tests.integration.stack.server import Server, free_port

NOTES = "# House\n\n- The spare key is under the blue pot. <!-- trigger: spare key -->\n"


@pytest.fixture(scope="session")
def appliance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With agent `main`, which knows where the spare key is."""
    server = Server(tmp_path_factory.mktemp("appliance") / "data", free_port())
    server.start()
    try:
        server.knows("main", NOTES, "spare key")
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def model() -> Iterator[ModelServer]:
    with ModelServer() as model:
        yield model


def key_for(appliance: Server, name: str, **more: object) -> str:
    body = {"name": name, "agents": ["main"], "rights": ["read", "write"], **more}
    return str(appliance.call("POST", "/api/v1/keys", body)["key"])


@pytest.fixture(scope="session")
def openclaw(appliance: Server, model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenClaw]:
    """The newest pinned OpenClaw with the plugin, installed by the lines of its README as they are written there."""
    bin_dir = install("openclaw-2026.9.6")
    shell = {"MEMORY_URL": f"http://127.0.0.1:{appliance.port}", "MEMORY_KEY": key_for(appliance, "openclaw")}
    gateway = OpenClaw(bin_dir, tmp_path_factory.mktemp("openclaw"), free_port(), model.url, shell)
    gateway.configure()
    gateway.shell(readme_lines())
    gateway.start()
    try:
        yield gateway
    finally:
        gateway.stop()


@pytest.fixture(scope="session")
def claude_code(appliance: Server, model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> claude.ClaudeCode:
    """The pinned Claude Code with the plugin, installed by the lines of its README."""
    bin_dir = install("claude-code-2.1.332")
    key = key_for(appliance, "claude code", trusted=True)
    shell = {"MEMORY_URL": f"http://127.0.0.1:{appliance.port}", "MEMORY_AGENT": "main", "MEMORY_KEY": key}
    client = claude.ClaudeCode(bin_dir, tmp_path_factory.mktemp("claude-code"), model.url, shell)
    client.shell(claude.readme_lines())
    return client


def messages_of(appliance: Server, chat: str) -> list[str]:
    """What the appliance keeps of a chat, from its files: `user: …`, `assistant: …`. `chat` as files name it."""
    folder = Path(appliance.data_dir, "transcripts", "main", "turns")
    lines = [line for file in sorted(folder.glob(f"*{chat}*/*.jsonl")) for line in file.read_text().splitlines()]
    return [f"{turn['role']}: {turn['text']}" for turn in map(json.loads, lines)]
