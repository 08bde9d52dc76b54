"""An exception as the API answers it, for doors that are not the API: the same codes, the same words."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse

from memory_appliance.api.api import api


def refused(request: HttpRequest, error: Exception) -> HttpResponse:
    """The API's own answer. Raises `error` itself when it is none of the refusals that the API knows."""
    return api.on_exception(request, error)


def refusal_of(error: Exception) -> dict[str, str]:
    """`code`, `message`, `hint` and perhaps `field`."""
    answer = json.loads(refused(HttpRequest(), error).content)
    return dict(answer["error"])
