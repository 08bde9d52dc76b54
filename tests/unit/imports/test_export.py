"""/agents/{slug}/export and /import through the API."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from agents.models import Agent
from tests import cast


def test_an_export_holds_every_file_and_how_the_agent_is_set_up(client: Client, al: Agent, owner: cast.Person) -> None:
    cast.write_files(al, {"memory/a/b.md": "- Deep.\n", "users/ida/USER.md": "- Ida.\n", "other.txt": "no\n"})
    response = client.get("/api/v1/agents/al/export", **owner.headers)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    assert set(archive.namelist()) == {"MEMORY.md", "memory/a/b.md", "users/ida/USER.md", "agent.json"}
    assert archive.read("memory/a/b.md") == b"- Deep.\n"
    assert json.loads(archive.read("agent.json"))["slug"] == "al"


def test_links_are_named_and_not_exported(client: Client, al: Agent, owner: cast.Person, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("- Secret.\n")
    (Path(al.workspace) / "memory" / "link.md").symlink_to(tmp_path / "secret.md")
    response = client.get("/api/v1/agents/al/export", **owner.headers)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    assert "memory/link.md" not in archive.namelist()
    assert "memory/link.md" in json.loads(archive.read("agent.json"))["left_out"][0]


@pytest.mark.parametrize(
    ("seconds", "year"), [(-(2**31), 1980), (0, 1980), (4_354_819_200, 2107), (4_386_182_400, 2107), (2**40, 2107)]
)
def test_a_file_of_any_time_is_exported(client: Client, al: Agent, owner: cast.Person, seconds: int, year: int) -> None:
    path = Path(al.workspace) / "MEMORY.md"
    os.utime(path, (seconds, seconds))
    if int(path.stat().st_mtime) != seconds:
        pytest.skip("this file system does not keep such a time")
    cast.index(al)
    response = client.get("/api/v1/agents/al/export", **owner.headers)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    assert archive.getinfo("MEMORY.md").date_time[0] == year
    assert client.get("/api/v1/agents/al/files", **owner.headers).status_code == 200


def test_only_the_owner_exports(client: Client, helper: cast.Person) -> None:
    assert client.get("/api/v1/agents/al/export", **helper.headers).status_code == 403


def test_reading_the_servers_disk_needs_a_key_for_all_agents(client: Client, al: Agent) -> None:
    admin = cast.person("admin", agents=["al"], rights=["admin"])
    body = {"tool": "codex", "path": "/tmp"}
    response = client.post("/api/v1/agents/al/import", body, content_type="application/json", **admin.headers)
    assert response.status_code == 403
