"""Counts every request by the template of its address, and writes a line about those that failed or were slow."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from memory_appliance.admission.requests import ARRIVED
from memory_appliance.metrics.instruments import NO_ROUTE, instruments

logger = logging.getLogger(__name__)

SLOW_SECONDS = 2.0

GetResponse = Callable[[HttpRequest], HttpResponse]


class CountRequests:
    """Outermost, so that it sees what the caller sees. The address itself is never written: it may name a chat."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        arrived = request.META.get(ARRIVED) or time.monotonic()
        response = self.get_response(request)
        seconds = time.monotonic() - arrived
        match = request.resolver_match
        route = match.route if match else NO_ROUTE
        instruments.answered(method=request.method or "", route=route, status=response.status_code, seconds=seconds)
        level = _level(response.status_code, seconds)
        if logger.isEnabledFor(level):
            logger.log(
                level,
                "request",
                extra={
                    "method": request.method,
                    "route": route,
                    "status": response.status_code,
                    "ms": round(seconds * 1000, 1),
                },
            )
        return response


def _level(status: int, seconds: float) -> int:
    if status >= 500:
        return logging.WARNING
    return logging.INFO if seconds >= SLOW_SECONDS else logging.DEBUG
