"""A waiting room before the application: every request is stamped as it comes in, and a few threads do all the work.

The server that calls us has no clock for a request that finds no free thread. So it is given more threads than work:
they wait here, and a request with a deadline knows how much of it is gone. Callers take turns, and the requests of one
caller come in their order: a flood by one key makes another wait for one request, not for the flood. Connections to
databases belong to the threads that work, so a crowd opens no more of them. When the room is full, the next request is
told at once that it should come again: a short queue and a clear word, not a long queue and a timeout.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from memory_appliance.admission.limits import ALL_WAITING, PATIENCE_SECONDS, RECALL_ROOM, WAITING_ROOM
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


class _Request:
    """One that waits for its turn."""

    def __init__(self, environ: WSGIEnvironment, start_response: StartResponse) -> None:
        self.environ, self.start_response = environ, start_response
        self.answer: Future[Iterable[bytes]] = Future()


class Admission:
    def __init__(self, application: WSGIApplication, *, at_once: int, refused: Callable[[str], None]) -> None:
        """`refused` is told why, once for each refusal."""
        self.application = application
        self._refused = refused
        self._workers = ThreadPoolExecutor(at_once, thread_name_prefix="web")
        self._watched = ThreadPoolExecutor(1, thread_name_prefix="monitor")
        self._at_once = at_once
        self._inside: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[_Request]] = OrderedDict()
        self._pace = 0.0
        self._lock = Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ[ARRIVED] = time.monotonic()
        path = environ.get("PATH_INFO", "")
        if path.startswith(MONITORED):
            return self._watched.submit(self.application, environ, start_response).result()
        caller = caller_of(environ)
        if not self._enter(caller, recall=path.endswith("/recall")):
            self._refused("waiting_room")
            return refuse(
                environ,
                start_response,
                ErrorCode.TOO_MANY_REQUESTS,
                "More requests wait already than can be answered soon.",
                hint="Wait for the seconds that Retry-After names, and ask fewer at once.",
            )
        try:
            request = _Request(environ, start_response)
            with self._lock:
                self._waiting.setdefault(caller, deque()).append(request)
            self._workers.submit(self._serve_next)  # as many as requests, whichever of them it will be
            return request.answer.result()
        finally:
            with self._lock:
                self._inside[caller] -= 1
                if not self._inside[caller]:
                    del self._inside[caller]

    @property
    def inside(self) -> int:
        """Requests that work or wait."""
        return self._inside.total()

    def _enter(self, caller: str, *, recall: bool) -> bool:
        with self._lock:
            own, others = self._inside[caller] + 1, self._inside.total() - self._inside[caller]
            if own + others - self._at_once > ALL_WAITING:
                return False
            if recall:
                admitted = own - self._at_once <= RECALL_ROOM
            else:
                # Callers take turns, so of each other one at most as many as this one's own are served before it.
                ahead = own + sum(min(count, own) for one, count in self._inside.items() if one != caller)
                seconds = (ahead - self._at_once) * self._pace / self._at_once
                admitted = own - self._at_once <= WAITING_ROOM and seconds <= PATIENCE_SECONDS
            if admitted:
                self._inside[caller] = own
            return admitted

    def _serve_next(self) -> None:
        """The oldest request of the caller whose turn it is; the caller then goes to the end of the line."""
        with self._lock:
            caller, requests = self._waiting.popitem(last=False)
            request = requests.popleft()
            if requests:
                self._waiting[caller] = requests
        try:
            request.answer.set_result(self._work(request.environ, request.start_response))
        except BaseException as error:  # noqa: BLE001 - raised where the request came in
            request.answer.set_exception(error)

    def _work(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.monotonic()
        try:
            return self.application(environ, start_response)
        finally:
            took = min(time.monotonic() - began, PATIENCE_SECONDS)
            with self._lock:
                self._pace += (took - self._pace) * _NEWEST


def caller_of(environ: WSGIEnvironment) -> str:
    """The key or session that asks, else the address. It is not checked here: a wrong one is refused when it works."""
    return str(environ.get("HTTP_AUTHORIZATION") or environ.get("HTTP_COOKIE") or environ.get("REMOTE_ADDR", ""))
