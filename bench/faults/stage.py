"""Stage: a server with one agent whose notes are indexed, callers that go on, and a look whether all is well again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError

from bench.faults.callers import Callers, ask
from tests.integration.stack.server import Server, until

AGENT = "home"
FILES = 30
BACK_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class Row:
    """What the table says of one fault."""

    fault: str
    searches: str
    notes: str
    back: str
    found: str
    lost: str

    def __str__(self) -> str:
        return f"| {self.fault} | {self.searches} | {self.notes} | {self.back} | {self.found} | {self.lost} |"


HEAD = (
    "| fault | searches meanwhile | notes meanwhile | all well again after | new file found after"
    " | confirmed notes lost or doubled |\n|---|---|---|---|---|---|"
)


def furnish(server: Server) -> None:
    """Notes, indexed and with their vectors."""
    workspace = server.agent(AGENT)
    for number in range(FILES):
        text = f"# Room {number}\n\n- The spare key {number} hangs behind door {number}.\n- Lamp {number} is broken.\n"
        (workspace / "memory" / f"room-{number:02}.md").write_text(text)
    server.done(server.update(AGENT))
    until("all well", lambda: all_well(server), BACK_SECONDS)


def all_well(server: Server) -> bool:
    """Every part works, and a search by words and by meaning has nothing to complain of."""
    try:
        parts = ask(server, "/health/ready")["checks"]
        found = ask(
            server, f"/api/v1/agents/{AGENT}/search", {"query": "spare key 3", "mode": "hybrid", "min_score": 0}
        )
    except (HTTPError, OSError):
        return False
    fine = all(part["status"] == "ok" for part in parts.values())
    return fine and found["outcome"] == "ok" and {one["code"] for one in found["degraded"]} <= {"pending_embeddings"}


def suffer(server: Server, fault: str, do: Callable[[Server], object]) -> Row:
    """`do` breaks something, and ends when it is broken no longer (a process that was killed: at once)."""
    callers = Callers(server, AGENT)
    with callers.calling():
        time.sleep(2)
        do(server)
        began = time.monotonic()
        try:
            until("all well again", lambda: all_well(server), BACK_SECONDS)
            back = f"{time.monotonic() - began:.0f} s"
        except AssertionError:
            back = f"**not within {BACK_SECONDS:.0f} s**: {server.health()}"
        found = _found_after(server)
    return Row(fault, callers.searches.told(), callers.notes.told(), back, found, _losses(server, callers.notes.kept))


def _found_after(server: Server) -> str:
    """A file that is written to disk now: watcher, clock, broker and worker all have to do their part."""
    word = f"file{time.monotonic_ns()}"
    name = f"memory/{word}.md"
    (server.data_dir / "workspaces" / AGENT / name).write_text(f"- The {word} was put down.\n")
    began = time.monotonic()
    try:
        until("a new file is found", lambda: server.finds(AGENT, word, name), BACK_SECONDS)
    except AssertionError:
        return f"**not within {BACK_SECONDS:.0f} s** {_last_lines(server)}"
    return f"{time.monotonic() - began:.0f} s"


def _losses(server: Server, kept: list[str]) -> str:
    """Every note that was confirmed stands in its file once; all of them are found after the next update."""
    try:
        server.done(server.update(AGENT), 120)
    except AssertionError as error:
        return f"**no update**: {error} {_last_lines(server)}"
    text = (server.data_dir / "workspaces" / AGENT / "memory" / "words.md").read_text() if kept else ""
    wrong = [word for word in kept if text.count(word) != 1]
    unfound = [word for word in kept[-3:] if not server.search(AGENT, word)["results"]]
    return f"{len(wrong)} of {len(kept)}" + (f", not found: {unfound}" if unfound else "")


def _last_lines(server: Server) -> str:
    return (server.data_dir / "logs" / "worker.log").read_text()[-3000:]


def overwrite(path: Path, *, at: float, size: int) -> None:
    """Random bytes at a share of the file's length."""
    with path.open("r+b") as file:
        file.seek(int(path.stat().st_size * at))
        file.write(os.urandom(size))


@contextmanager
def furnished(folder: Path, port: int, **options: str) -> Iterator[Server]:
    server = Server(folder / "data", port).start(**options)
    try:
        furnish(server)
        yield server
    finally:
        server.stop()
