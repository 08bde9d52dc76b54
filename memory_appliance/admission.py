"""A waiting room before the application: every request is stamped as it comes in, and a few threads do all the work.

The server that calls us has no clock for a request that finds no free thread. So it is given more threads than work:
they wait here, first come, first served, and whoever has a deadline knows how much of it is gone. Connections to
databases belong to the threads that work, so a crowd opens no more of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

WAITING_ROOM = 128
"""The server's threads per process beyond those that work. They are started when needed and end when idle."""
ARRIVED = "memory.arrived"
"""The stamp's name in the environment, and so in `request.META`: seconds on the monotonic clock."""


class Admission:
    def __init__(self, application: WSGIApplication, *, at_once: int) -> None:
        self.application = application
        self._workers = ThreadPoolExecutor(at_once, thread_name_prefix="web")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ[ARRIVED] = time.monotonic()
        return self._workers.submit(self.application, environ, start_response).result()
