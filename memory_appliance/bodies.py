"""A request's body is taken in before the request may wait or work, so that a slow sender holds up nobody else.

A client that announces a body and sends it byte by byte would otherwise keep one of the few working threads for as long
as it likes. Here it keeps a place of its own, for some seconds; then it is told so and its connection is closed, which
also ends the reading.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from memory_appliance.api.codes import ErrorCode
from memory_appliance.refusal import refuse
from memory_appliance.rooms import BODIES

if TYPE_CHECKING:
    from _typeshed.wsgi import InputStream, StartResponse, WSGIApplication, WSGIEnvironment

SECONDS = 20.0
"""How long the whole of a body may take; the largest is a mebibyte."""
WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class ReceivedBodies:
    """Also announces the length of bodies that came without one (`Transfer-Encoding: chunked`), which Django would
    take for empty. Of a body beyond the limit it reads no more than shows that: Django refuses it.
    """

    def __init__(
        self,
        application: WSGIApplication,
        *,
        limit: int,
        refused: Callable[[str], None],
        at_once: int = BODIES,
        seconds: float = SECONDS,
    ) -> None:
        """`limit`: the most bytes that a body may have. `refused` is told why, once for each refusal."""
        self.application = application
        self._limit = limit
        self._refused = refused
        self._seconds = seconds
        self._places = BoundedSemaphore(at_once)
        self._readers = ThreadPoolExecutor(at_once, thread_name_prefix="body")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        wanted = self._bytes_to_read(environ)
        if wanted == 0:
            return self.application(environ, start_response)
        if not self._places.acquire(blocking=False):
            self._refused("bodies")
            return refuse(
                start_response,
                ErrorCode.TOO_MANY_REQUESTS,
                "Too many requests are being sent at the same time.",
                hint="Send bodies at once, and wait for the seconds that Retry-After names.",
            )
        # The place is free again when the reading has ended, which may be after the answer.
        reading = self._readers.submit(self._read, environ["wsgi.input"], wanted)
        try:
            body = reading.result(self._seconds)
        except (FutureTimeout, OSError):
            self._refused("slow_body")
            return refuse(
                start_response,
                ErrorCode.BAD_REQUEST,
                f"The body did not arrive in whole within {self._seconds:.0f} seconds.",
                hint="Send it at once.",
            )
        if not environ.get("CONTENT_LENGTH"):
            environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = io.BytesIO(body)
        return self.application(environ, start_response)

    def _bytes_to_read(self, environ: WSGIEnvironment) -> int:
        if environ["REQUEST_METHOD"] not in WITH_BODY:
            return 0
        announced = environ.get("CONTENT_LENGTH") or ""
        if not announced:
            return self._limit + 1 if environ.get("wsgi.input_terminated") else 0
        length = int(announced) if announced.isdecimal() else 0
        return length if length <= self._limit else 0

    def _read(self, stream: InputStream, wanted: int) -> bytes:
        try:
            return stream.read(wanted)
        finally:
            self._places.release()
