"""kept_form(): what a person wrote is not lost when it cannot be taken; the page that says so holds it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import get_token

WRITTEN = "text"
"""The field that somebody's writing is in, in every form that takes some."""


def kept_form(request: HttpRequest) -> dict[str, object]:
    """What `failure.html` makes the form of again, with a fresh token; {} where nobody has written anything."""
    if not holds_writing(request):
        return {}
    left_out = (WRITTEN, "csrfmiddlewaretoken")
    others = [(name, value) for name, values in request.POST.lists() if name not in left_out for value in values]
    return {
        "written": request.POST[WRITTEN],
        "others": others,
        "address": request.get_full_path(),
        "csrf_token": get_token(request),
    }


def holds_writing(request: HttpRequest) -> bool:
    """Only of a form that a page of this server sent: what another site made is not offered to be sent."""
    return request.method == "POST" and _is_from_here(request) and bool(request.POST.get(WRITTEN, "").strip())


def _is_from_here(request: HttpRequest) -> bool:
    """Browsers name the origin of every form, and let no page choose it."""
    origin = request.headers.get("Origin", "")
    return origin == f"{request.scheme}://{request.get_host()}" or origin in settings.CSRF_TRUSTED_ORIGINS
