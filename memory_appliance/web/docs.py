"""The interactive API page, from files that the server itself holds."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from ninja.openapi.docs import Swagger

from memory_appliance.api.api import api

_page = Swagger(settings={"persistAuthorization": False, "validatorUrl": None})


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    return _page.render_page(request, api)
