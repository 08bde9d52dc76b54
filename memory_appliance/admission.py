"""A waiting room before the application: every request is stamped as it comes in, and so many are worked on at once.

The server that calls us has no clock for a request that finds no free thread. So it is given more threads than may
work; the others wait here, first come, first served, and whoever has a deadline knows how much of it is gone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

WAITING_ROOM = 128
"""Threads per process beyond those that work. They are started when needed and end when idle."""
ARRIVED = "memory.arrived"
"""The stamp's name in the environment, and so in `request.META`: seconds on the monotonic clock."""


class Admission:
    def __init__(self, application: WSGIApplication, *, at_once: int) -> None:
        self.application = application
        self._places = threading.Semaphore(at_once)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ[ARRIVED] = time.monotonic()
        with self._places:
            return self.application(environ, start_response)
