"""Light or dark, and the language: kept in a cookie, so that the first paint is right and nothing flashes."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import check_for_language
from django.views.decorators.http import require_POST

from memory_appliance.web.chrome import THEME_COOKIE, THEMES

A_YEAR_SECONDS = 365 * 24 * 3600


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Any other value goes back to what the system says."""
    chosen = request.POST.get("theme", "")
    return _remember(request, THEME_COOKIE, chosen if chosen in THEMES else "")


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Any other value goes back to what the browser asks for."""
    chosen = request.POST.get("language", "")
    known = chosen in dict(settings.LANGUAGES) and check_for_language(chosen)
    return _remember(request, settings.LANGUAGE_COOKIE_NAME, chosen if known else "")


def _remember(request: HttpRequest, name: str, value: str) -> HttpResponse:
    response = HttpResponseRedirect(_back(request))
    if value:
        response.set_cookie(
            name,
            value,
            max_age=A_YEAR_SECONDS,
            path=settings.SESSION_COOKIE_PATH,
            samesite="Lax",
            httponly=True,
            secure=request.is_secure(),
        )
    else:
        response.delete_cookie(name, path=settings.SESSION_COOKIE_PATH, samesite="Lax")
    return response


def _back(request: HttpRequest) -> str:
    """The page the form was on, and never another site."""
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else reverse("overview")
