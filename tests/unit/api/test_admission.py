"""Admission: who may work, who waits, and the stamp of when they came."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from memory_appliance.admission import ARRIVED, Admission

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

    admission = Admission(application, at_once=2)
    threads = [threading.Thread(target=admission, args=({}, unheard)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 2 and len(waited) == 6 and max(waited) >= 0.09


def test_a_fault_is_raised_and_its_thread_works_on() -> None:
    def broken(_environ: WSGIEnvironment, _start_response: StartResponse) -> Iterable[bytes]:
        raise ZeroDivisionError

    admission = Admission(broken, at_once=1)
    for _ in range(3):
        try:
            admission({}, unheard)
        except ZeroDivisionError:
            continue
        raise AssertionError("the fault was swallowed")
