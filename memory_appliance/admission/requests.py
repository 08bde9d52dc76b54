"""A waiting room before the application: every request is stamped as it comes in, and a few threads do all the work.

The server that calls us has no clock for a request that finds no free thread. So it is given more threads than work:
they wait here, first come, first served, and whoever has a deadline knows how much of it is gone. Connections to
databases belong to the threads that work, so a crowd opens no more of them. When the room is full, the next request is
told at once that it should come again: a short queue and a clear word, not a long queue and a timeout.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from memory_appliance.admission.limits import PATIENCE_SECONDS, RECALL_ROOM, WAITING_ROOM
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.early import refuse

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ARRIVED = "memory.arrived"
"""The stamp's name in the environment, and so in `request.META`: seconds on the monotonic clock."""

_NEWEST = 0.05
"""What the newest request counts for in the pace: a single slow one changes little."""

MONITORED = ("/health/", "/metrics")
"""Whoever watches the server has a thread apart: a server with much to do must not be taken for a dead one."""


class Admission:
    def __init__(self, application: WSGIApplication, *, at_once: int, refused: Callable[[str], None]) -> None:
        """`refused` is told why, once for each refusal."""
        self.application = application
        self._refused = refused
        self._workers = ThreadPoolExecutor(at_once, thread_name_prefix="web")
        self._watched = ThreadPoolExecutor(1, thread_name_prefix="monitor")
        self._at_once = at_once
        self._inside = 0
        self._pace = 0.0
        self._lock = Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ[ARRIVED] = time.monotonic()
        path = environ.get("PATH_INFO", "")
        if path.startswith(MONITORED):
            return self._watched.submit(self.application, environ, start_response).result()
        if not self._enter(recall=path.endswith("/recall")):
            self._refused("waiting_room")
            return refuse(
                environ,
                start_response,
                ErrorCode.TOO_MANY_REQUESTS,
                "More requests wait already than can be answered soon.",
                hint="Wait for the seconds that Retry-After names, and ask fewer at once.",
            )
        try:
            return self._workers.submit(self._work, environ, start_response).result()
        finally:
            with self._lock:
                self._inside -= 1

    def _enter(self, *, recall: bool) -> bool:
        with self._lock:
            waiting = self._inside - self._at_once + 1
            if recall:
                admitted = waiting <= RECALL_ROOM
            else:
                admitted = waiting <= WAITING_ROOM and waiting * self._pace / self._at_once <= PATIENCE_SECONDS
            self._inside += admitted
            return admitted

    def _work(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.monotonic()
        try:
            return self.application(environ, start_response)
        finally:
            took = min(time.monotonic() - began, PATIENCE_SECONDS)
            with self._lock:
                self._pace += (took - self._pace) * _NEWEST
