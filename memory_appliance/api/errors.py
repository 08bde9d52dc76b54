"""Which exception becomes which error answer. Whatever is not listed here is a fault and goes to Django's 500."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from agents.core.errors import RuleError
from agents.locking.control_database import DATABASE_REFUSALS, takes_no_such_value
from memory_appliance.api.parser import MalformedBody
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import ApiError, error_response
from search.errors import BadQuery, EmbedderUnavailable, IndexBusy, IndexUnavailable, SearchError

_NAMED_FIELDS = 5


def install(api: NinjaAPI) -> None:
    api.add_exception_handler(ApiError, _api_error)
    api.add_exception_handler(RuleError, _rule_error)
    api.add_exception_handler(ValidationError, _validation_error)
    api.add_exception_handler(AuthenticationError, _unauthorized)
    api.add_exception_handler(HttpError, _http_error)
    api.add_exception_handler(Http404, _not_found)
    api.add_exception_handler(RequestDataTooBig, _too_large)
    api.add_exception_handler(UnreadablePostError, _unreadable)
    for kind in _ENGINE_CODES:
        api.add_exception_handler(kind, _search_error)
    for failure in DATABASE_REFUSALS:
        api.add_exception_handler(failure, _database_refused)


def _api_error(request: HttpRequest, error: Any) -> HttpResponse:
    return error_response(error.code, error.message, hint=error.hint, field=error.field, retry_after=error.retry_after)


def _rule_error(request: HttpRequest, error: Any) -> HttpResponse:
    return error_response(ErrorCode(error.code), error.message, hint=error.hint, field=error.field)


def _validation_error(request: HttpRequest, error: Any) -> HttpResponse:
    first, *others = error.errors
    field = _field(first["loc"])
    message = str(first["msg"]).removeprefix("Value error, ")
    hint = ""
    if first["type"] == "extra_forbidden":
        message = "There is no such field"
        hint = "Check its name: /api/docs lists the fields of every call. "
    if first["type"] == "missing" and not field:
        message = "A JSON object is required as the body"
    if others:
        hint += f"Wrong too: {_named([_field(other['loc']) for other in others])}."
    message = f"{field}: {message}" if field else message
    return error_response(ErrorCode.INVALID_VALUE, message, hint=hint.strip(), field=field)


def _named(fields: list[str]) -> str:
    left = len(fields) - _NAMED_FIELDS
    return ", ".join(fields[:_NAMED_FIELDS]) + (f" and {left} more" if left > 0 else "")


def _field(location: tuple[Any, ...]) -> str:
    """`("body", "payload", "rules", 0, "action")` → `rules.0.action`; the body's own name is the server's."""
    parts = location[2:] if location and location[0] == "body" else location[1:]
    return ".".join(str(part) for part in parts)


def _unauthorized(request: HttpRequest, error: Any) -> HttpResponse:
    return error_response(ErrorCode.UNAUTHORIZED, "The key is missing or not valid.")


def _http_error(request: HttpRequest, error: Any) -> HttpResponse:
    if isinstance(error.__cause__, MalformedBody):
        return error_response(ErrorCode.MALFORMED_JSON, str(error.__cause__))
    return error_response(ErrorCode.BAD_REQUEST, error.message)


def _not_found(request: HttpRequest, error: Any) -> HttpResponse:
    return error_response(ErrorCode.NOT_FOUND, "There is nothing at this address.")


def _too_large(request: HttpRequest, error: Any) -> HttpResponse:
    return error_response(ErrorCode.BODY_TOO_LARGE, "The body is larger than this server reads.")


def _unreadable(request: HttpRequest, error: Any) -> HttpResponse:
    return error_response(ErrorCode.BAD_REQUEST, "The body ended before its announced length.")


def _search_error(request: HttpRequest, error: Any) -> HttpResponse:
    return error_response(engine_code(error), error.message, hint=error.hint)


def engine_code(error: SearchError) -> ErrorCode:
    """How a refusal of the engine is called at the doors."""
    return next(
        (_ENGINE_CODES[kind] for kind in type(error).mro() if kind in _ENGINE_CODES), ErrorCode.TEMPORARILY_UNAVAILABLE
    )


_ENGINE_CODES: dict[type[SearchError], ErrorCode] = {
    BadQuery: ErrorCode.BAD_QUERY,
    IndexBusy: ErrorCode.INDEX_BUSY,
    IndexUnavailable: ErrorCode.TEMPORARILY_UNAVAILABLE,
    EmbedderUnavailable: ErrorCode.TEMPORARILY_UNAVAILABLE,
}


def _database_refused(request: HttpRequest, error: Any) -> HttpResponse:
    if takes_no_such_value(error):
        return error_response(
            ErrorCode.INVALID_VALUE,
            "The request holds a text that cannot be stored: it has a zero byte (U+0000) in it, or is too long.",
        )
    return error_response(ErrorCode.TEMPORARILY_UNAVAILABLE, "The control database is busy or cannot be reached.")
