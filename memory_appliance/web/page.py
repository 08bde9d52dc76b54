"""answer(): a page as a whole, or only its main part for htmx; failures become calm pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.core.errors import RuleError
from memory_appliance.api.errors import engine_code
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import wants_json
from memory_appliance.web.chrome import theme_of
from memory_appliance.web.diff import visible
from memory_appliance.web.kept_form import kept_form
from memory_appliance.web.told import remark, told
from search.errors import SearchError

GetResponse = Callable[[HttpRequest], HttpResponse]


def answer(request: HttpRequest, template: str, context: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    """`template` starts with `{% extends layout %}`: base.html, or for htmx fragment.html, its main part alone.

    One template and one context, two sizes: what a fragment shows is what the page shows.
    """
    layout = "fragment.html" if wants_part(request) else "base.html"
    response = render(request, template, {"layout": layout, **context}, status=status)
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def wants_part(request: HttpRequest) -> bool:
    """Whether htmx asks for a part; when it goes back in the history, or follows a link, it wants the whole page."""
    whole = ("HX-Boosted", "HX-History-Restore-Request")
    return bool(getattr(request, "htmx", False)) and not any(request.headers.get(name) for name in whole)


def failure(request: HttpRequest | None, *, status: int, message: str, hint: str = "") -> HttpResponse:
    """A page that says what went wrong and what to do; also what htmx swaps in where a part was asked for."""
    layout = "fragment.html" if request is not None and getattr(request, "htmx", False) else "base.html"
    told = {"layout": layout, "status": status, "message": visible(message), "hint": visible(hint)}
    context = told | (kept_form(request) if request is not None else {})
    return render(request, "failure.html", context, status=status)


def bare_failure(request: HttpRequest, *, status: int, message: str, hint: str, **extra: object) -> HttpResponse:
    """As `failure`, but asking nothing of the database: what cannot be read must not break the page that says so."""
    context = {
        "status": status,
        "message": message,
        "hint": hint,
        "language": get_language(),
        "theme": theme_of(request),
        **extra,
    }
    return render(None, "failure.html", context, status=status)


class PageFailures:
    """What a page's use-case refuses is told in its own words and with its own status; programs have api/errors.py.

    A method that a page does not have is told too: Django's own answer has no body.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not isinstance(response, HttpResponseNotAllowed) or wants_json(request):
            return response
        page = failure(
            request,
            status=response.status_code,
            message=_("This address can't be opened directly."),
            hint=_("Open its page and use the buttons there."),
        )
        page["Allow"] = response["Allow"]
        return page

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, RuleError | SearchError) or wants_json(request):
            return None
        code = engine_code(error) if isinstance(error, SearchError) else _code(error)
        return failure(request, status=code.status, message=remark(error.message), hint=told(error.hint or code.hint))


def _code(error: RuleError) -> ErrorCode:
    """Rules that no program can break, such as those of backups, have codes that the API does not know."""
    return next((code for code in ErrorCode if code == error.code), ErrorCode.CONFLICT)
