"""Many writers over HTTP while the web processes are killed under them."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

from tests.integration.stack.server import Server, until

WRITERS = 50


def test_fifty_writers_and_a_killed_server_lose_and_double_nothing(server: Server) -> None:
    workspace = server.agent("writers")

    def write(number: int) -> int:
        body = {"text": f"Writer {number} was here.", "target": "memory/log.md", "idempotency_key": f"w{number}"}
        return int(until(f"writer {number} is answered", lambda: _line(server, body), 60))

    with ThreadPoolExecutor(WRITERS) as pool:
        answers = [pool.submit(write, number) for number in range(WRITERS)]
        time.sleep(0.4)
        server.kill("granian")
        lines = [answer.result() for answer in answers]
    until("it serves again", server.health, 60)
    written = (workspace / "memory" / "log.md").read_text().splitlines()
    assert Counter(written) == Counter(f"- Writer {number} was here." for number in range(WRITERS))
    assert all(written[line - 1] == f"- Writer {number} was here." for number, line in enumerate(lines))


def test_a_note_is_found_by_its_words_within_two_seconds(server: Server) -> None:
    server.agent("quick")
    started = time.monotonic()
    path = server.call("POST", "/api/v1/agents/quick/notes", {"text": "The gnomon casts a shadow."})["path"]
    until("the note is found", lambda: server.finds("quick", "gnomon", path), 2)
    assert time.monotonic() - started < 2


def _line(server: Server, body: dict[str, str]) -> int | None:
    """The note's line; None while nobody answers."""
    try:
        return int(server.call("POST", "/api/v1/agents/writers/notes", body)["start_line"])
    except (OSError, HTTPException):
        return None
