"""What a person wrote is not lost when they may not send it now: the page that refuses holds it, to be sent again."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from memory_appliance.web.page import answer

WRITTEN = "text"
"""The field that somebody's writing is in, in every form that takes some."""


def holds_writing(request: HttpRequest) -> bool:
    return request.method == "POST" and bool(request.POST.get(WRITTEN, "").strip())


def is_from_here(request: HttpRequest) -> bool:
    """Whether a page of this server sent it: browsers name the origin of every form, and let no page choose it."""
    origin = request.headers.get("Origin", "")
    return origin == f"{request.scheme}://{request.get_host()}" or origin in settings.CSRF_TRUSTED_ORIGINS


def keep(request: HttpRequest) -> HttpResponse:
    """The form again, with a fresh token. Whoever is signed out is led to sign in beside it."""
    others = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in (WRITTEN, "csrfmiddlewaretoken")
        for value in values
    ]
    context = {"written": request.POST[WRITTEN], "others": others, "address": request.get_full_path()}
    return answer(request, "kept_form.html", context, status=403)
