"""What every answer gets: one shape for errors of the API, a content security policy, compression for pages."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from agents.locking.control_database import control_database_in_turn
from agents.locking.waiting import as_a_request
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import error_response, wants_json

GetResponse = Callable[[HttpRequest], HttpResponse]

STRICT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
DOCS_POLICY = STRICT_POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""The interactive API page writes its own styles; it still runs no inline script and loads nothing from elsewhere."""

DOCS_PATH = "/api/docs"


class ErrorShape:
    """A method that a call does not have is answered like every other error: Django's own answer has no body."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and wants_json(request):
            shaped = error_response(ErrorCode.METHOD_NOT_ALLOWED, f"{request.method} is not possible here.")
            shaped["Allow"] = ", ".join(sorted(part.strip() for part in response["Allow"].split(",")))
            return shaped
        return response


class BoundedWaiting:
    """What a request waits for keeps a thread from the others: a second in all, and few of them at once."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with as_a_request(), control_database_in_turn():
            return self.get_response(request)


class ContentSecurityPolicy:
    """Nothing inline, nothing from another host; a page may be stricter with itself."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        policy = DOCS_POLICY if request.path_info == DOCS_PATH else STRICT_POLICY
        response.headers.setdefault("Content-Security-Policy", policy)
        return response


class CompressPages(GZipMiddleware):
    """Pages and their files travel compressed; programs on the same machine gain nothing and would wait for it."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return response if wants_json(request) else super().process_response(request, response)
