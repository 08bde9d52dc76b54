"""Admission: who may work, who waits, and the stamp of when they came."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from memory_appliance.admission.limits import WAITING_ROOM
from memory_appliance.admission.requests import ARRIVED, Admission

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def unheard(*_: Any) -> Callable[[bytes], object]:
    raise AssertionError("these applications start no response")


def test_as_many_work_as_may_and_the_others_know_how_long_they_waited() -> None:
    working: list[int] = []
    most: list[int] = []
    waited: list[float] = []

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        waited.append(time.monotonic() - environ[ARRIVED])
        working.append(1)
        most.append(len(working))
        time.sleep(0.05)
        working.pop()
        return []

    admission = Admission(application, at_once=2, refused=unheard)
    threads = [threading.Thread(target=admission, args=({}, unheard)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 2 and len(waited) == 6 and max(waited) >= 0.09


def test_a_fault_is_raised_and_its_thread_works_on() -> None:
    def broken(_environ: WSGIEnvironment, _start_response: StartResponse) -> Iterable[bytes]:
        raise ZeroDivisionError

    admission = Admission(broken, at_once=1, refused=unheard)
    for _ in range(3):
        try:
            admission({}, unheard)
        except ZeroDivisionError:
            continue
        raise AssertionError("the fault was swallowed")


class Answer:
    """What a refusal starts."""

    status = ""
    headers: dict[str, str]

    def __call__(self, status: str, headers: list[tuple[str, str]], *_: Any) -> Callable[[bytes], object]:
        self.status, self.headers = status, dict(headers)
        return unheard


@pytest.fixture
def full() -> Iterator[tuple[Admission, list[str]]]:
    """Its one worker is busy and its waiting room is full; and the reasons it has given."""
    end, reasons = threading.Event(), list[str]()

    def application(environ: WSGIEnvironment, _start_response: StartResponse) -> Iterable[bytes]:
        if environ.get("busy"):
            end.wait(20)
        return [b"done"]

    admission = Admission(application, at_once=1, refused=reasons.append)
    busy = {"busy": True, "PATH_INFO": "/api/v1/agents/al/search"}
    threads = [threading.Thread(target=admission, args=(dict(busy), unheard)) for _ in range(1 + WAITING_ROOM)]
    for thread in threads:
        thread.start()
    while admission.inside < len(threads):
        time.sleep(0.001)
    yield admission, reasons
    end.set()
    for thread in threads:
        thread.join()
    limit = time.monotonic() + 10
    while admission.inside:
        assert time.monotonic() < limit, "somebody who was let in never left"
        time.sleep(0.001)


def test_whom_the_room_does_not_hold_is_told_when_to_come_again(full: tuple[Admission, list[str]]) -> None:
    admission, reasons = full
    answer = Answer()
    [body] = admission({"PATH_INFO": "/api/v1/agents/al/search", "HTTP_X_REQUEST_ID": "gw-1"}, answer)
    assert answer.headers["X-Request-ID"] == "gw-1"
    assert answer.status == "429 Too Many Requests" and int(answer.headers["Retry-After"]) >= 1
    assert json.loads(body)["error"]["code"] == "too_many_requests"
    assert reasons == ["waiting_room"]


def test_whoever_watches_the_server_does_not_wait(full: tuple[Admission, list[str]]) -> None:
    admission, _ = full
    for path in ("/health/live", "/health/ready", "/metrics"):
        assert list(admission({"PATH_INFO": path}, unheard)) == [b"done"]


def test_a_recall_may_wait_longer_for_it_has_a_deadline(full: tuple[Admission, list[str]]) -> None:
    admission, reasons = full
    recall = threading.Thread(target=admission, args=({"PATH_INFO": "/api/v1/agents/al/recall"}, unheard))
    recall.start()
    while admission.inside < WAITING_ROOM + 2:
        time.sleep(0.001)
    assert reasons == []


def test_a_slow_machine_has_a_smaller_room() -> None:
    reasons, end = list[str](), threading.Event()

    def application(environ: WSGIEnvironment, _start_response: StartResponse) -> Iterable[bytes]:
        end.wait(20)
        return []

    admission = Admission(application, at_once=1, refused=reasons.append)
    admission._pace = 2.0  # seconds that a request takes here
    path = {"PATH_INFO": "/api/v1/agents/al/search"}
    threads = [threading.Thread(target=admission, args=(dict(path), Answer())) for _ in range(5)]
    for thread in threads:
        thread.start()
    while len(reasons) < 2:
        time.sleep(0.001)
    assert admission.inside == 3, "one at work, two that wait two and four seconds"
    end.set()
    for thread in threads:
        thread.join()
    assert admission._pace < 2.0


def test_a_flood_by_one_caller_makes_another_wait_for_one_request() -> None:
    served: list[str] = []
    first = threading.Event()

    def application(environ: WSGIEnvironment, _start_response: StartResponse) -> Iterable[bytes]:
        first.wait(20)
        served.append(environ["HTTP_AUTHORIZATION"])
        return []

    admission = Admission(application, at_once=1, refused=unheard)

    def ask(caller: str) -> threading.Thread:
        thread = threading.Thread(target=admission, args=({"HTTP_AUTHORIZATION": caller}, unheard))
        before = admission.inside
        thread.start()
        while admission.inside == before:
            time.sleep(0.001)
        return thread

    threads = [ask("flood") for _ in range(20)] + [ask(caller) for caller in ("a", "b", "a")]
    first.set()
    for thread in threads:
        thread.join()
    assert served[:6] == ["flood", "flood", "a", "b", "flood", "a"], served
    assert served.count("flood") == 20 and admission.inside == 0


def test_a_room_full_of_one_callers_requests_has_places_for_another(full: tuple[Admission, list[str]]) -> None:
    admission, reasons = full
    before = admission.inside
    other = {"PATH_INFO": "/api/v1/agents/bo/search", "HTTP_AUTHORIZATION": "Bearer of another"}
    waits = threading.Thread(target=admission, args=(other, unheard))
    waits.start()
    while admission.inside == before and not reasons:
        time.sleep(0.001)
    assert reasons == []
