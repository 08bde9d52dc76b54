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

from memory_appliance.api.codes import ErrorCode
from memory_appliance.refusal import refuse
from memory_appliance.rooms import RECALL_ROOM, WAITING_ROOM

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ARRIVED = "memory.arrived"
"""The stamp's name in the environment, and so in `request.META`: seconds on the monotonic clock."""

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
        self._lock = Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ[ARRIVED] = time.monotonic()
        path = environ.get("PATH_INFO", "")
        if path.startswith(MONITORED):
            return self._watched.submit(self.application, environ, start_response).result()
        room = RECALL_ROOM if path.endswith("/recall") else WAITING_ROOM
        with self._lock:
            full = self._inside >= self._at_once + room
            self._inside += not full
        if full:
            self._refused("waiting_room")
            return refuse(
                start_response,
                ErrorCode.TOO_MANY_REQUESTS,
                "More requests wait already than can be answered soon.",
                hint="Wait for the seconds that Retry-After names, and ask fewer at once.",
            )
        try:
            return self._workers.submit(self.application, environ, start_response).result()
        finally:
            with self._lock:
                self._inside -= 1
