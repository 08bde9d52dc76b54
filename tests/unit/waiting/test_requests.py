"""A lock that somebody holds keeps few requests waiting, and for a second; the others are refused at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.locking import waiting
from agents.models import Agent
from tests.cast import Person
from tests.unit.waiting.conftest import CHAT, Clock, held, locks_of

NOTE = ("post", "notes", {"text": "Buy a ladder."})
FILE = ("put", "files/content", {"path": "memory/new.md", "text": "New.", "expected_hash": ""})
TURNS = ("post", f"transcripts/{CHAT}/messages", {"messages": [{"role": "user", "text": "Hello there"}]})
FLUSH = ("post", "flush", {"session_key": CHAT, "messages": [{"role": "user", "text": "We decided to buy a ladder."}]})
RESET = ("post", f"transcripts/{CHAT}/reset", {})
FORGET = ("post", "forget", {"path": "MEMORY.md"})

REFUSED = [
    ("workspace", NOTE), ("workspace", FILE), ("workspace", FLUSH), ("workspace", FORGET),
    ("transcript", TURNS), ("transcript", RESET), ("transcript", FLUSH), ("flush", FLUSH),
]  # fmt: skip


def call(person: Person, verb: str, path: str, body: dict[str, Any], slug: str = "al") -> Any:
    client = Client()
    return getattr(client, verb)(
        f"/api/v1/agents/{slug}/{path}", json.dumps(body), content_type="application/json", **person.headers
    )


@pytest.mark.parametrize(("lock", "request_"), REFUSED, ids=lambda value: value if isinstance(value, str) else value[1])
def test_who_meets_a_held_lock_waits_a_second_and_is_told_when_to_come_again(
    al: Agent, owner: Person, clock: Clock, lock: str, request_: tuple[str, str, dict[str, Any]]
) -> None:
    began = clock.now
    with held(locks_of(al)[lock]):
        answer = call(owner, *request_)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "workspace_busy")
    assert int(answer["Retry-After"]) == 1
    assert clock.now - began == pytest.approx(waiting.REQUEST_SECONDS, abs=0.1)
    clock.now += waiting.IN_VAIN_SECONDS
    assert call(owner, *request_).status_code < 300


def test_a_request_that_meets_several_held_locks_waits_a_second_in_all(al: Agent, owner: Person, clock: Clock) -> None:
    began = clock.now
    with held(locks_of(al)["index"]):
        answer = call(owner, *NOTE)
    assert answer.status_code == 201 and not answer.json()["indexed"]
    assert clock.now - began <= waiting.REQUEST_SECONDS + 0.1


def test_what_was_waited_for_in_vain_is_not_waited_for_again_at_once(al: Agent, owner: Person, clock: Clock) -> None:
    with held(locks_of(al)["workspace"]):
        call(owner, *NOTE)
        began = clock.now
        assert call(owner, *NOTE).status_code == 409
        assert clock.now == began
        clock.now += waiting.IN_VAIN_SECONDS
        call(owner, *NOTE)
        assert clock.now - began > waiting.IN_VAIN_SECONDS


def test_a_lock_that_is_free_again_within_the_second_is_no_refusal(al: Agent, owner: Person, clock: Clock) -> None:
    holder = held(locks_of(al)["workspace"])
    holder.__enter__()
    ends = iter([*[False] * 20, True])
    clock.asleep = lambda: holder.__exit__(None, None, None) if next(ends, False) else None
    assert call(owner, *NOTE).status_code == 201


def crowd(clock: Clock, count: int, places: int, agent: Callable[[int], str]) -> set[int]:
    """The threads that slept, of `count` requests at once that meet locks that stay held.

    Those that sleep do so until all others were refused: no place is free for a second one meanwhile.
    """
    refused, gate = threading.Semaphore(0), threading.Barrier(count)
    enough = threading.Event()
    clock.asleep = lambda: enough.wait(10) and None

    def request(number: int) -> bool:
        gate.wait()
        with waiting.as_a_request():
            taken = waiting.take(lambda: False, lock=f"lock {number}", agent=agent(number), seconds=20)
        refused.release()
        return taken

    def count_refused() -> None:
        for _ in range(count - places):
            refused.acquire(timeout=10)
        enough.set()

    with ThreadPoolExecutor(count + 1) as pool:
        pool.submit(count_refused)
        assert list(pool.map(request, range(count))) == [False] * count
    return set(clock.sleepers)


@pytest.mark.parametrize(("workers", "threads", "places"), [(2, 2, 1), (2, 8, 4), (1, 3, 0), (1, 1, 0)])
def test_all_that_wait_are_a_quarter_of_the_working_threads(
    data_dir: Path, settings: Any, clock: Clock, workers: int, threads: int, places: int
) -> None:
    settings.MEMORY_WEB_WORKERS, settings.MEMORY_WEB_THREADS = workers, threads
    assert len(crowd(clock, 12, places, lambda number: f"agent-{number}")) == places


def test_of_one_agent_one_waits(data_dir: Path, settings: Any, clock: Clock) -> None:
    settings.MEMORY_WEB_WORKERS, settings.MEMORY_WEB_THREADS = 4, 8
    assert len(crowd(clock, 8, 1, lambda _: "al")) == 1


def test_workers_wait_as_long_as_they_say(data_dir: Path, clock: Clock) -> None:
    began = clock.now
    assert not waiting.take(lambda: False, lock="l", agent="al", seconds=20)
    assert clock.now - began >= 20


def test_deleting_an_agent_whose_index_is_being_written_waits_a_second(al: Agent, owner: Person, clock: Clock) -> None:
    began = clock.now
    with held(locks_of(al)["index"]):
        answer = Client().delete("/api/v1/agents/al", **owner.headers)
        again = Client().post(
            "/api/v1/agents", json.dumps({"slug": "al"}), content_type="application/json", **owner.headers
        )
    assert answer.status_code == 204
    assert again.status_code == 409 and again["Retry-After"]
    assert clock.now - began <= waiting.REQUEST_SECONDS + 0.1
