"""Django's own errors: JSON in the one shape for programs, a calm page for people."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from memory_appliance.api.codes import ErrorCode
from memory_appliance.api.shape import error_response, wants_json
from memory_appliance.web.page import failure


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, ErrorCode.BAD_REQUEST, "The request cannot be understood.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, ErrorCode.FORBIDDEN, "You may not see this page.")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _answer(
        request, ErrorCode.FORBIDDEN, "The form was not sent from this page.", hint="Reload the page and send it again."
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, ErrorCode.NOT_FOUND, "There is nothing at this address.")


def server_error(request: HttpRequest) -> HttpResponse:
    return _answer(request, ErrorCode.INTERNAL_ERROR, "The server made a mistake.")


def _answer(request: HttpRequest, code: ErrorCode, message: str, *, hint: str = "") -> HttpResponse:
    if wants_json(request):
        return error_response(code, message, hint=hint)
    # Without the request: a context processor that needs the database must not break the page that says so.
    return failure(None, status=code.status, message=message, hint=hint or code.hint)
