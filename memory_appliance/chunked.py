"""Request bodies without an announced length (`Transfer-Encoding: chunked`), which Django by itself takes for empty."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class MeasuredBody:
    """Reads such a body and announces its length. Of one beyond the limit it reads a byte more: Django refuses it."""

    def __init__(self, application: WSGIApplication) -> None:
        self.application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        ends_by_itself = environ.get("wsgi.input_terminated") and not environ.get("CONTENT_LENGTH")
        if ends_by_itself and environ["REQUEST_METHOD"] in WITH_BODY:
            body = environ["wsgi.input"].read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
            environ["CONTENT_LENGTH"] = str(len(body))
            environ["wsgi.input"] = io.BytesIO(body)
        return self.application(environ, start_response)
