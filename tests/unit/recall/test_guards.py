"""Breaker, TurnEmbedder, Writers and Turns: what keeps a turn within its time."""

from __future__ import annotations

import threading
import time

import pytest

from search.errors import EmbedderUnavailable, GeneratorUnavailable
from search.recall.breaker import Breaker
from search.recall.models import TurnEmbedder, TurnGenerator, Writers
from search.recall.turns import Ended, Late, Turns
from search.runtime.protocols import Vectors
from tests.engine import WordEmbedder
from tests.unit.recall.conftest import Scripted


class Counting(WordEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        self.asked += 1
        return super().embed_query(text, timeout=timeout)


def test_a_breaker_opens_after_three_time_outs_in_a_row_and_closes_after_its_rest() -> None:
    now = [0.0]
    breaker = Breaker(clock=lambda: now[0])
    breaker.timed_out("a")
    breaker.timed_out("a")
    assert not breaker.open("a")
    breaker.timed_out("a")
    assert breaker.open("a") and not breaker.open("b")
    now[0] = 59.0
    assert breaker.open("a")
    now[0] = 60.0
    assert not breaker.open("a")


def test_a_completed_run_sets_the_breaker_back() -> None:
    breaker = Breaker()
    for _ in range(2):
        breaker.timed_out("a")
    breaker.completed("a")
    breaker.timed_out("a")
    assert not breaker.open("a")


def test_a_query_is_embedded_once_per_turn() -> None:
    counting = Counting()
    turn = TurnEmbedder(counting, Breaker(), until=time.monotonic() + 5)
    assert turn.known("boat") is None
    first, second = turn.embed_query("boat", timeout=1), turn.embed_query("boat", timeout=1)
    assert counting.asked == 1 and first is second is turn.known("boat")


def test_an_embedder_that_failed_is_not_asked_again_in_the_same_turn() -> None:
    counting = Counting()
    counting.down = True
    turn = TurnEmbedder(counting, Breaker(), until=time.monotonic() + 5)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable):
            turn.embed_query("boat", timeout=1)
    assert counting.asked == 1


def test_one_turn_waits_briefly_for_the_writer_and_the_queue_behind_it_not_at_all() -> None:
    writers, breaker = Writers(), Breaker()
    until = time.monotonic() + 2
    with TurnGenerator(Scripted(), breaker, writers, until=until).turn():
        started = time.monotonic()
        for _ in range(3):
            waiting = TurnGenerator(Scripted(), breaker, writers, until=until)
            with pytest.raises(GeneratorUnavailable), waiting.turn():
                pass
        assert 0.2 < time.monotonic() - started < 0.4
        assert waiting.resting  # whoever comes now does not even try
    assert writers.take(patience=0)


def test_a_turn_that_waits_gets_the_writer_as_soon_as_it_is_free() -> None:
    writers = Writers()
    assert writers.take(patience=0) and not writers.take(patience=0)
    threading.Timer(0.05, writers.give_back).start()
    assert writers.take(patience=5)


def test_time_outs_of_a_writer_one_after_another_cost_less_than_one_turns_time() -> None:
    breaker, started = Breaker(), time.monotonic()
    for _ in range(3):
        generator = TurnGenerator(Scripted(9.0), breaker, Writers(), until=started + 0.8)
        with pytest.raises(GeneratorUnavailable), generator.turn():
            generator.generate([], max_tokens=1)
    assert time.monotonic() - started < 0.8 and generator.resting


def test_identical_turns_at_the_same_time_share_one_run() -> None:
    turns: Turns[int, None] = Turns()
    runs: list[int] = []
    go = threading.Event()

    def work(_: None) -> int:
        go.wait(5)
        runs.append(1)
        return 7

    answers: list[object] = []
    threads = [
        threading.Thread(
            target=lambda: answers.append(
                turns.run("k", work, progress=None, until=time.monotonic() + 5, keep=lambda _: False)
            )
        )
        for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    go.set()
    for thread in threads:
        thread.join()
    assert runs == [1] and answers == [Ended(7)] * 10


def test_the_deadline_comes_whatever_the_run_does() -> None:
    turns: Turns[int, list[str]] = Turns(threads=1)
    go = threading.Event()

    def work(progress: list[str]) -> int:
        progress.append("half")
        go.wait(5)
        return 1

    late = turns.run("a", work, progress=[], until=time.monotonic() + 0.1, keep=bool)
    waiting = turns.run("b", work, progress=[], until=time.monotonic() + 0.1, keep=bool)
    go.set()
    assert late == Late(["half"], started=True)
    assert waiting == Late([], started=False)


def test_a_fault_is_an_answer() -> None:
    turns: Turns[float, None] = Turns()
    ended = turns.run("a", lambda _: 1 / 0, progress=None, until=time.monotonic() + 5, keep=bool)
    assert isinstance(ended, Ended) and isinstance(ended.error, ZeroDivisionError)


def test_only_what_is_worth_keeping_is_remembered_and_not_for_long() -> None:
    turns: Turns[int, None] = Turns(cache_seconds=0.1)
    values = iter([0, 5, 6])

    def ask() -> object:
        return turns.run("a", lambda _: next(values), progress=None, until=time.monotonic() + 5, keep=bool)

    assert ask() == Ended(0) and ask() == Ended(5) and ask() == Ended(5, cached=True)
    time.sleep(0.15)
    assert ask() == Ended(6)
