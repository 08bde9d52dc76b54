"""Every request has an id: the caller's own `X-Request-ID` when it is sane, else a new one; the answer shows it."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from workers.request_id import SANE, request_id

GetResponse = Callable[[HttpRequest], HttpResponse]

NAME = "X-Request-ID"


def id_for(theirs: str) -> str:
    return theirs if SANE.fullmatch(theirs) else uuid.uuid4().hex


class RequestIds:
    """Outermost of all: whatever is logged while a request is answered carries its id, and so do tasks it starts."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = id_for(request.headers.get(NAME, ""))
        token = request_id.set(name)
        try:
            response = self.get_response(request)
        finally:
            request_id.reset(token)
        response[NAME] = name
        return response
