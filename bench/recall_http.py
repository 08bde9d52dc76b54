"""Recall over HTTP, many turns at once on the whole server: nothing stalled, the writer stalled, the models stopped."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.integration.stack.server import Server, free_port, until

NOTES = "# House\n\n- The spare key is under the blue pot.\n- The boiler valve is a BV-210.\n"
TIMEOUTS_MS = (8_000, 2_000)


@dataclass(frozen=True, slots=True)
class Burst:
    """How long each turn took, and what it was answered."""

    seconds: list[float]
    answers: list[tuple[str, str]]

    def told(self) -> str:
        slowest, middle = max(self.seconds), sorted(self.seconds)[len(self.seconds) // 2]
        said = ", ".join(f"{count} {status}/{why}" for (status, why), count in Counter(self.answers).most_common())
        return f"median {middle:5.2f} s, slowest {slowest:5.2f} s; {said}"


@contextmanager
def silent_endpoint() -> Iterator[str]:
    """The base address of a service that accepts every connection and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        held: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    held.append(listener.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in held:
                connection.close()


@contextmanager
def stopped(server: Server, words: str) -> Iterator[None]:
    """Holds every process of this server whose command line has `words` in it."""
    pids = server.processes(words)
    assert pids, f"no process has {words!r} in its command line"
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def burst(server: Server, slug: str, turns: int, timeout_ms: int) -> Burst:
    """All turns at once, each about something else, in mode `always`."""
    seconds: list[float] = []
    answers: list[tuple[str, str]] = []
    path = f"/api/v1/agents/{slug}/recall"

    def ask(number: int) -> None:
        body = {
            "message": f"which boiler valve do we have, question {number} of {timeout_ms}",
            "session": {"key": f"agent:{slug}:telegram:direct:42"},
            "mode": "always",
            "timeout_ms": timeout_ms,
        }
        started = time.monotonic()
        answer = server.call("POST", path, body)
        seconds.append(time.monotonic() - started)
        answers.append((answer["status"], answer["reason"]))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(turns)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Burst(seconds, answers)


def told(turns: int, what: str, timeout_ms: int, result: Burst) -> None:
    load = os.getloadavg()[0]
    print(f"{turns} turns, {what:22} timeout {timeout_ms:5} ms, load {load:4.1f}: {result.told()}", flush=True)


def measure(turns: int) -> None:
    """Each measurement has a server of its own, so that no breaker of the one before is still open."""
    for what in ("nothing stalled", "writer stalled", "models process stopped"):
        for timeout_ms in TIMEOUTS_MS:
            with ExitStack() as stack:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memory-bench-"))
                options = {}
                if what == "writer stalled":
                    options = {
                        "MEMORY_GENERATE_MODEL": "openai:stalled",
                        "MEMORY_OPENAI_API_KEY": "none",
                        "MEMORY_OPENAI_BASE_URL": stack.enter_context(silent_endpoint()),
                    }
                server = Server(Path(folder) / "data", free_port()).start(**options)
                stack.callback(server.stop)
                (server.agent("home") / "MEMORY.md").write_text(NOTES, encoding="utf-8")
                server.done(server.update("home"))
                until("indexed", partial(server.finds, "home", "boiler valve", "MEMORY.md"), 60)
                if what == "models process stopped":
                    stack.enter_context(stopped(server, "workers.process"))
                told(turns, what, timeout_ms, burst(server, "home", turns, timeout_ms))
