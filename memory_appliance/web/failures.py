"""Django's own errors: JSON in the one shape for programs, a calm page for people."""

from __future__ import annotations

import sys

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_BAD_ORIGIN, REASON_BAD_REFERER
from django.utils.translation import gettext as _

from agents.locking.control_database import DATABASE_REFUSALS, takes_no_such_value
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import error_response, wants_json
from memory_appliance.web.kept_form import holds_writing, kept_form
from memory_appliance.web.page import bare_failure

_FOREIGN = tuple(reason.partition("%s")[2] for reason in (REASON_BAD_ORIGIN, REASON_BAD_REFERER))
"""How Django's reasons end for a form from another site."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent):
        if wants_json(request):
            return error_response(ErrorCode.BODY_TOO_LARGE, "The body is larger than this server reads.")
        return bare_failure(
            request,
            status=ErrorCode.BODY_TOO_LARGE.status,
            message=_("The form is too large for this server."),
            hint=_("Nothing was changed. Go back and send it in smaller parts."),
        )
    if wants_json(request):
        return error_response(ErrorCode.BAD_REQUEST, "The request isn't valid.")
    return bare_failure(
        request,
        status=ErrorCode.BAD_REQUEST.status,
        message=_("The request isn't valid."),
        hint=_("Check the address; a host name must be listed in MEMORY_ALLOWED_HOSTS."),
    )


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if wants_json(request):
        return error_response(ErrorCode.FORBIDDEN, "You don't have access to this page.")
    return bare_failure(
        request,
        status=ErrorCode.FORBIDDEN.status,
        message=_("You don't have access to this page."),
        hint=_("An owner of this server can give you the role you need."),
        **kept_form(request),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Signing in makes every form that is open in another tab too old; what was written there is not lost."""
    if wants_json(request):
        return error_response(ErrorCode.FORBIDDEN, "The form was not sent from this page.")
    if holds_writing(request):
        return bare_failure(
            request,
            status=ErrorCode.FORBIDDEN.status,
            message=_("You have signed in since this form was opened."),
            hint=_("Nothing was saved yet."),
            **kept_form(request),
        )
    if reason.endswith(_FOREIGN):
        return bare_failure(
            request,
            status=ErrorCode.FORBIDDEN.status,
            message=_("Pages of this origin may not call this server."),
            hint=_("If it is yours, add it to MEMORY_TRUSTED_ORIGINS, such as https://memory.example."),
        )
    return bare_failure(
        request,
        status=ErrorCode.FORBIDDEN.status,
        message=_("The form was not sent from this page."),
        hint=_("Reload the page and send it again."),
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if wants_json(request):
        return error_response(ErrorCode.NOT_FOUND, "Page not found.")
    return bare_failure(
        request,
        status=ErrorCode.NOT_FOUND.status,
        message=_("Page not found."),
        hint=_("It may have been removed, or you may not have access."),
        **kept_form(request),
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """A control database that is locked or away is no fault of the page, and goes by."""
    error = sys.exc_info()[1]
    if isinstance(error, DATABASE_REFUSALS):
        return _not_storable(request) if takes_no_such_value(error) else _database_busy(request)
    if wants_json(request):
        return error_response(ErrorCode.INTERNAL_ERROR, "Something went wrong on the server.")
    return bare_failure(
        request,
        status=ErrorCode.INTERNAL_ERROR.status,
        message=_("Something went wrong on the server."),
        hint=_("This is a bug. The server's log has the details."),
    )


def _database_busy(request: HttpRequest) -> HttpResponse:
    code = ErrorCode.TEMPORARILY_UNAVAILABLE
    if wants_json(request):
        return error_response(code, "The control database is busy or cannot be reached.")
    response = bare_failure(
        request,
        status=code.status,
        message=_("The control database is busy or cannot be reached."),
        hint=_("Try again in a few seconds."),
        **kept_form(request),
    )
    response["Retry-After"] = "2"
    return response


def _not_storable(request: HttpRequest) -> HttpResponse:
    code = ErrorCode.INVALID_VALUE
    if wants_json(request):
        return error_response(code, "The request holds a text that cannot be stored.")
    return bare_failure(
        request,
        status=code.status,
        message=_("The request holds a text that cannot be stored."),
        hint=_("It has a zero byte (U+0000) in it, or is too long. Nothing was changed."),
        **kept_form(request),
    )
