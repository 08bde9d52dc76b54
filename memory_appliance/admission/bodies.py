"""A request's body is taken in before the request may wait or work, so that a slow sender holds up nobody else.

A client that announces a body and sends it byte by byte would otherwise keep one of the few working threads for as long
as it likes. Here it keeps a place of its own until it has sent the body or hangs up. There is no clock for it: granian
lets nobody give up a reading that has begun. (Answering beside a reading that goes on stops its whole process.)
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from memory_appliance.admission.limits import BODIES
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.early import refuse

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

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
    ) -> None:
        """`limit`: the most bytes that a body may have. `refused` is told why, once for each refusal."""
        self.application = application
        self._limit = limit
        self._refused = refused
        self._places = BoundedSemaphore(at_once)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        wanted = self._bytes_to_read(environ)
        if wanted == 0:
            return self.application(environ, start_response)
        if not self._places.acquire(blocking=False):
            self._refused("bodies")
            return refuse(
                environ,
                start_response,
                ErrorCode.TOO_MANY_REQUESTS,
                "Too many requests are being sent at the same time.",
                hint="Send bodies at once, and wait for the seconds that Retry-After names.",
            )
        try:
            body = environ["wsgi.input"].read(wanted)
        except OSError:
            self._refused("broken_body")
            return refuse(
                environ,
                start_response,
                ErrorCode.BAD_REQUEST,
                "The body ended before its announced length.",
                hint="Send it again.",
            )
        finally:
            self._places.release()
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
