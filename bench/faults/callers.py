"""Callers: searches and notes that go on while something is being broken, and what they were answered."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from tests.integration.stack.server import KEY, Server

PAUSE_SECONDS = 0.1
PATIENCE_SECONDS = 15.0


@dataclass
class Seen:
    """Answers by what they were, and the longest wait for one; `kept` holds the words of notes that were confirmed."""

    answers: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    kept: list[str] = field(default_factory=list)

    def told(self) -> str:
        return ", ".join(f"{count} {what}" for what, count in self.answers.most_common()) + f"; ≤ {self.slowest:.1f} s"


@dataclass
class Callers:
    server: Server
    agent: str
    searches: Seen = field(default_factory=Seen)
    notes: Seen = field(default_factory=Seen)
    _end: threading.Event = field(default_factory=threading.Event)

    def _search(self, number: int) -> None:
        body = {"query": f"where is the spare key {number % 7}", "mode": "hybrid", "min_score": 0}
        self._call(self.searches, "search", body, lambda answer: answer["outcome"])

    def _note(self, number: int) -> None:
        word = f"w{number}x{time.monotonic_ns() % 10**9}"
        body = {"text": f"The code word {word} was noted.", "idempotency_key": word, "target": "memory/words.md"}
        if self._call(self.notes, "notes", body, lambda _: "written"):
            self.notes.kept.append(word)

    def _call(self, seen: Seen, verb: str, body: dict[str, Any], named: Any) -> bool:
        began = time.monotonic()
        try:
            what, answered = named(ask(self.server, f"/api/v1/agents/{self.agent}/{verb}", body)), True
        except HTTPError as error:
            what, answered = f"{error.code} {_code(error)}", False
        except (OSError, HTTPException):
            what, answered = "no connection", False
        seen.answers[what] += 1
        seen.slowest = max(seen.slowest, time.monotonic() - began)
        return answered

    def _go_on(self, work: Any) -> None:
        number = 0
        while not self._end.wait(PAUSE_SECONDS):
            number += 1
            work(number)

    @contextmanager
    def calling(self) -> Iterator[None]:
        threads = [threading.Thread(target=self._go_on, args=(work,)) for work in (self._search, self._note)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._end.set()
            for thread in threads:
                thread.join()


def ask(server: Server, path: str, body: dict[str, Any] | None = None) -> Any:
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", content, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        return json.loads(answer.read())


def _code(error: HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"]["code"])
    except (ValueError, KeyError, OSError):
        return "(no code)"
