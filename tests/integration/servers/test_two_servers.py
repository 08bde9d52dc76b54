"""Two real servers on one PostgreSQL and one data folder, each with a local folder of its own."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.integration.stack.server import Server, free_port, until
from tests.postgres import Postgres, why_not

pytestmark = [
    pytest.mark.stack,
    pytest.mark.timeout(600),
    pytest.mark.skipif(sys.platform != "linux", reason="finds and kills processes through /proc"),
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]

NOTES = 40


@dataclass
class Sharing(Server):
    """A server of several."""

    local_dir: Path = field(default_factory=Path)
    database: str = ""

    def up(self) -> None:
        self.launch(
            DATABASE_URL=self.database,
            MEMORY_LOCAL_DIR=str(self.local_dir),
            MEMORY_EMBED_MODEL="none",
            MEMORY_SECRET_KEY="servers-web-secret-0123456789abcdef-0123456789",
        )

    def wait(self) -> None:
        until(f"ready\n{self.said()}", lambda: self.health() is not None, 180)

    def said(self) -> str:
        return self.local_dir.with_suffix(".out").read_text()

    def launch(self, **options: str) -> Any:
        process = super().launch(**options)
        self.data_dir.with_suffix(".out").rename(self.local_dir.with_suffix(".out"))
        return process

    def kill_all(self) -> None:
        """As if the machine had lost its power."""
        for _ in range(20):
            pids = self.processes()
            if not pids:
                return
            for pid in pids:
                try:
                    os.kill(pid, 9)
                except ProcessLookupError:
                    continue
            threading.Event().wait(0.2)

    def _commands(self) -> dict[int, str]:
        mark = f"MEMORY_LOCAL_DIR={self.local_dir}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (OSError, ValueError):
                continue
        return {pid: command for pid, command in found.items() if command}

    def note(self, text: str, **more: str) -> bool:
        """Whether it was confirmed; busy locks are asked again."""
        for _ in range(200):
            try:
                self.call("POST", "/api/v1/agents/al/notes", {"text": text, **more})
            except HTTPError as error:
                if error.code not in (409, 503):
                    raise
                threading.Event().wait(0.05)
            except OSError:
                return False
            else:
                return True
        return False


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sharing, Sharing]]:
    folder = tmp_path_factory.mktemp("servers")
    postgres = Postgres.temporary()
    pair = [
        Sharing(folder / "data", free_port(), local_dir=folder / name, database=postgres.url) for name in ("a", "b")
    ]
    try:
        for server in pair:
            server.up()
        for server in pair:
            server.wait()
        pair[0].call("POST", "/api/v1/agents", {"slug": "al"})
        yield pair[0], pair[1]
    finally:
        for server in pair:
            server.kill_all()
        postgres.remove()


def hits(server: Sharing, query: str) -> list[tuple[Any, ...]]:
    found = server.search("al", query)["results"]
    return [(hit["path"], hit["start_line"], hit["end_line"], hit["score"], hit["snippet"]) for hit in found]


def test_what_one_writes_the_other_finds_and_both_answer_alike(servers: tuple[Sharing, Sharing]) -> None:
    a, b = servers
    for number in range(5):
        writer, reader = (a, b) if number % 2 else (b, a)
        assert writer.note(f"Parcel zebra{number} is in the garage.")
        found = reader.search("al", f"zebra{number}")
        assert f"zebra{number}" in found["results"][0]["snippet"]
        assert "index_behind" not in {one["code"] for one in found["degraded"]}
    assert hits(a, "parcel garage") == hits(b, "parcel garage") != []
    assert (a.local_dir / "indexes" / "al.sqlite").exists() and (b.local_dir / "indexes" / "al.sqlite").exists()


def test_two_servers_write_one_file_at_once_and_lose_nothing(servers: tuple[Sharing, Sharing]) -> None:
    with ThreadPoolExecutor(4) as pool:
        texts = [f"Box {number} holds the things of box {number}." for number in range(NOTES)]
        written = [pool.submit(servers[n % 2].note, text, target="memory/boxes.md") for n, text in enumerate(texts)]
        assert all(one.result() for one in written)
    lines = (servers[0].data_dir / "workspaces" / "al" / "memory" / "boxes.md").read_text().splitlines()
    for text in texts:
        assert sum(text in line for line in lines) == 1


def test_one_is_killed_under_load_and_the_other_has_every_confirmed_note(servers: tuple[Sharing, Sharing]) -> None:
    a, b = servers
    confirmed: list[str] = []
    stop = threading.Event()

    def write() -> None:
        for number in range(10_000):
            if stop.is_set():
                return
            if a.note(text := f"Crate {number} came with the lorry {number}.", target="memory/crates.md"):
                confirmed.append(text)

    thread = threading.Thread(target=write)
    thread.start()
    until("some are written", lambda: len(confirmed) > 10, 60)
    a.kill_all()
    stop.set()
    thread.join()
    assert b.note("The lorry has left.", target="memory/crates.md")
    assert b.search("al", confirmed[-1])["results"][0]["path"] == "memory/crates.md"
    lines = (b.data_dir / "workspaces" / "al" / "memory" / "crates.md").read_text().splitlines()
    for text in confirmed:
        assert sum(text in line for line in lines) == 1
