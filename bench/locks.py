"""Held locks: what searches on one agent take while something is held that requests on another agent want.

    python -m bench.locks [WORD …]      only the rows with one of these words in their names

Eight callers go on asking for what is held, without a pause where they are refused; one goes on searching elsewhere.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from bench.faults.callers import ask
from search.evaluation.machine import describe_machine
from tests.integration.stack.server import Server, free_port

CALLERS = 8
SECONDS = 12.0
CHAT = "agent:held:main"


def main(words: list[str]) -> None:
    print(describe_machine(), "", flush=True)
    print("| held | asked of the agent | answers | slowest | search on another agent p50 / p95 / slowest |")
    print("|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="memory-locks-") as folder:
        server = Server(Path(folder) / "data", free_port()).start()
        try:
            for slug in ("held", "free"):
                (server.agent(slug) / "MEMORY.md").write_text("- The spare key is under the blue pot.\n")
                server.done(server.update(slug))
            for name, (verb, body, hold) in rows(server).items():
                if not words or any(word in name for word in words):
                    print(row(server, name, verb, body, hold), flush=True)
                    time.sleep(4)
        finally:
            server.stop()


def rows(server: Server) -> dict[str, tuple[str, dict[str, Any] | None, AbstractContextManager[None]]]:
    """What is held: the verb and body that want it, and the holding."""
    data = server.data_dir
    workspace = hashlib.sha256(str((data / "workspaces" / "held").resolve()).encode()).hexdigest()[:32]
    chat = f"agent-held-main-{hashlib.sha256(CHAT.encode()).hexdigest()[:16]}".replace("agent-", "", 1)
    note = {"text": "The boiler hums."}
    turns = {"messages": [{"role": "user", "text": "Hello there"}]}
    return {
        "nothing": ("status", None, quiet()),
        "workspace": ("notes", note, flocked(data / "history" / ".locks" / workspace)),
        "transcript": (f"transcripts/{CHAT}/messages", turns,
                       flocked(data / "transcripts" / "held" / "locks" / f"{chat}.turns")),
        "index": ("notes", None, flocked(data / "indexes" / "held.sqlite.lock")),
        "broker": ("update", {}, stopped(server, "valkey-server")),
        "control database": ("notes", None, written(data / "control.sqlite3")),
    }  # fmt: skip


def row(server: Server, name: str, verb: str, body: dict[str, Any] | None, hold: AbstractContextManager[None]) -> str:
    end, answers, slowest = threading.Event(), Counter[str](), [0.0]
    took: list[float] = []

    def go_on(asks: Any, times: list[float]) -> None:
        while not end.is_set():
            began = time.monotonic()
            answered = asks()
            times.append(time.monotonic() - began)
            if asks is want:
                answers[answered] += 1
                time.sleep(0.01)

    def want() -> str:
        said = {"text": f"The boiler hums {time.monotonic_ns()}."} if verb == "notes" and body is None else body
        return told(server, f"/api/v1/agents/held/{verb}", said)

    def search() -> str:
        time.sleep(0.02)
        return told(server, "/api/v1/agents/free/search", {"query": "spare key", "mode": "search", "min_score": 0})

    waits: list[float] = []
    threads = [threading.Thread(target=go_on, args=(want, waits)) for _ in range(CALLERS)]
    with hold:
        threads.append(threading.Thread(target=go_on, args=(search, took)))
        for thread in threads:
            thread.start()
        time.sleep(SECONDS)
        end.set()
        for thread in threads:
            thread.join()
    slowest = [max(waits)]
    took.sort()
    p50, p95, last = took[len(took) // 2], took[int(len(took) * 0.95)], took[-1]
    said = ", ".join(f"{count} {what}" for what, count in answers.most_common())
    return (
        f"| {name} | {verb} | {said} | {slowest[0]:.2f} s"
        f" | {p50 * 1000:.0f} / {p95 * 1000:.0f} / {last * 1000:.0f} ms ({len(took)}) |"
    )


def told(server: Server, path: str, body: dict[str, Any] | None) -> str:
    try:
        ask(server, path, body)
    except HTTPError as error:
        return f"{error.code}{' +Retry-After' if error.headers['Retry-After'] else ''}"
    except OSError as error:
        return type(error).__name__
    return "answered"


@contextmanager
def quiet() -> Iterator[None]:
    yield


@contextmanager
def flocked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def stopped(server: Server, words: str) -> Iterator[None]:
    pids = server.processes(words)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def written(path: Path) -> Iterator[None]:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


if __name__ == "__main__":
    main(sys.argv[1:])
