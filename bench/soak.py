"""Soak: mixed calls and changing files for a given time; what memory, descriptors, threads and logs do meanwhile.

    python -m bench.soak [--seconds 3600] [--rate 2] [--agents 5] [--every 120] [--data FOLDER] [--port N]

Starts a server of its own. A row is printed every `--every` seconds; at the end each column's mean over the second
quarter of the time is compared with that over the last quarter: a leak goes on growing, what levels off does not.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from search.evaluation.machine import describe_machine
from tests.integration.stack.server import KEY, Server, free_port

PROGRAMS = {
    "web": "granian",
    "worker": "memory_appliance worker",
    "models": "workers.process",
    "watcher": "launch.watch",
    "beat": "memory_appliance.clock",
    "broker": "valkey-server",
}
COLUMNS = (*(f"{name} MB" for name in PROGRAMS), "all PSS MB", "descriptors", "threads", "WAL MB", "data MB")
LEVEL = 0.05
"""A column that grows by less than this share between the second and the last quarter has levelled off."""
WORDS = [
    "key",
    "pot",
    "shed",
    "ladder",
    "heron",
    "window",
    "boiler",
    "garden",
    "lamp",
    "roof",
    "letter",
    "bridge",
    "salt",
    "engine",
    "winter",
]


def main() -> None:
    options = _options()
    print(describe_machine(), flush=True)
    with _server(options) as server:
        caller = Caller(server, options.agents, options.rate)
        rows = list(_rows(server, caller, options.seconds, options.every))
        _tell(rows, caller)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--rate", type=float, default=2.0, help="calls a second")
    parser.add_argument("--agents", type=int, default=5)
    parser.add_argument("--every", type=float, default=120)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--port", type=int, default=0)
    return parser.parse_args()


@contextmanager
def _server(options: argparse.Namespace) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="memory-soak-") as folder:
        server = Server(options.data or Path(folder) / "data", options.port or free_port()).start()
        try:
            yield server
        finally:
            server.stop()


@dataclass
class Caller:
    """Calls and changes, at random but the same in each run."""

    server: Server
    agents: int
    rate: float
    answers: Counter[str] = field(default_factory=Counter)
    changes: int = 0

    def __post_init__(self) -> None:
        self._dice = random.Random(13)
        self._workspaces = [self.server.agent(f"soak-{number}") for number in range(self.agents)]
        for workspace in self._workspaces:
            for number in range(40):
                self._write(workspace / "memory" / f"topic-{number}.md")
        self._calls: list[Callable[[str], tuple[str, str, object]]] = [
            lambda slug: ("POST", f"agents/{slug}/search", {"query": self._say(3), "min_score": 0}),
            lambda slug: ("POST", f"agents/{slug}/search", {"query": self._say(2), "mode": "search", "min_score": 0}),
            lambda slug: ("POST", f"agents/{slug}/recall", {"message": f"Where is the {self._say(2)}?"}),
            lambda slug: ("POST", f"agents/{slug}/get", {"path": f"memory/topic-{self._dice.randrange(40)}.md"}),
            lambda slug: ("POST", f"agents/{slug}/notes", {"text": f"The {self._say(5)} was seen {time.time():.0f}."}),
            self._turns,
            lambda slug: ("POST", f"agents/{slug}/context", {}),
            lambda slug: ("GET", f"agents/{slug}/status", None),
            lambda slug: ("POST", f"agents/{slug}/flush", {"session_key": f"agent:{slug}:main"}),
        ]
        self._weights = [20, 15, 20, 10, 12, 10, 5, 6, 2]

    def go_on(self, until: float) -> None:
        """Call and change at the given rate until that moment of the monotonic clock."""
        while (now := time.monotonic()) < until:
            self._call()
            if self._dice.random() < 0.2:
                self._change()
            time.sleep(max(0.0, min(1 / self.rate - (time.monotonic() - now), until - time.monotonic())))

    def _call(self) -> None:
        slug = f"soak-{self._dice.randrange(self.agents)}"
        method, path, body = self._dice.choices(self._calls, self._weights)[0](slug)
        request = Request(
            f"http://127.0.0.1:{self.server.port}/api/v1/{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
            method=method,
        )
        try:
            with urlopen(request, timeout=30) as answer:
                answer.read()
            self.answers["answered"] += 1
        except HTTPError as error:
            self.answers[f"{error.code}"] += 1
        except (OSError, HTTPException) as error:
            self.answers[type(error).__name__] += 1

    def _change(self) -> None:
        path = self._dice.choice(self._workspaces) / "memory" / f"topic-{self._dice.randrange(60)}.md"
        if path.exists() and self._dice.random() < 0.3:
            path.unlink()
        else:
            self._write(path)
        self.changes += 1

    def _turns(self, slug: str) -> tuple[str, str, object]:
        turns = [{"role": role, "text": f"{self._say(8)} {time.time_ns()}"} for role in ("user", "assistant")]
        return "POST", f"agents/{slug}/transcripts/agent:{slug}:main/messages", {"messages": turns}

    def _write(self, path: Path) -> None:
        path.write_text(f"# {self._say(2)}\n\n" + "\n\n".join(f"- The {self._say(12)}." for _ in range(20)) + "\n")

    def _say(self, words: int) -> str:
        return " ".join(self._dice.choices(WORDS, k=words)) + f" {self._dice.randrange(1000)}"


def _rows(server: Server, caller: Caller, seconds: float, every: float) -> Iterator[list[float]]:
    print("", "| minute | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|", sep="\n", flush=True)
    began = time.monotonic()
    while (now := time.monotonic()) < began + seconds:
        caller.go_on(min(now + every, began + seconds))
        row = _measured(server)
        cells = [f"{value:.1f}" if "MB" in name else f"{value:.0f}" for name, value in zip(COLUMNS, row, strict=True)]
        print(f"| {(time.monotonic() - began) / 60:.0f} | " + " | ".join(cells) + " |", flush=True)
        yield row


def _measured(server: Server) -> list[float]:
    everybody = server.processes()
    data = [path.stat() for path in server.data_dir.rglob("*") if path.is_file() and path.suffix != ".gguf"]
    wal = sum(path.stat().st_size for path in server.data_dir.rglob("*-wal"))
    return [
        *(sum(_pss(pid) for pid in server.processes(words)) / 1000 for words in PROGRAMS.values()),
        sum(_pss(pid) for pid in everybody) / 1000,
        sum(_count(pid, "fd") for pid in everybody),
        sum(_count(pid, "task") for pid in everybody),
        wal / 1e6,
        sum(stat.st_size for stat in data) / 1e6,
    ]


def _pss(pid: int) -> float:
    """Kilobytes: shared pages are divided among those who share them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0  # gone meanwhile
    return sum(float(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _count(pid: int, what: str) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/{what}").iterdir()))
    except OSError:
        return 0


def _tell(rows: list[list[float]], caller: Caller) -> None:
    print("", f"calls: {dict(caller.answers)}; files changed on disk: {caller.changes}", sep="\n")
    quarter = max(1, len(rows) // 4)
    for number, name in enumerate(COLUMNS[:-1]):  # what is kept grows
        second = sum(row[number] for row in rows[quarter : 2 * quarter]) / len(rows[quarter : 2 * quarter] or [1])
        last = sum(row[number] for row in rows[-quarter:]) / quarter
        growth = last / second - 1 if second else 0.0
        print(f"{name}: {second:.1f} -> {last:.1f} ({growth:+.1%}) {'levels off' if growth < LEVEL else 'GROWS'}")


if __name__ == "__main__":
    main()
