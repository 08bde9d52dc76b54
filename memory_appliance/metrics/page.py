"""/metrics for Prometheus: for this machine itself, for admin keys of all agents, and for signed-in owners."""

from __future__ import annotations

from ipaddress import ip_address

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from memory_appliance.api.auth import ADMIN
from memory_appliance.metrics.counted import Counted
from memory_appliance.metrics.present import Present
from memory_appliance.proxies import FORWARDED_BY_STRANGER
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import ApiError, error_response

registry = CollectorRegistry(auto_describe=False)
registry.register(Counted())
registry.register(Present())


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    try:
        allowed = is_from_here(request) or _has_admin_key(request) or _is_owner(request)
    except ApiError as error:
        return error_response(error.code, error.message, hint=error.hint, retry_after=error.retry_after)
    if not allowed:
        return error_response(
            ErrorCode.UNAUTHORIZED,
            "Figures are for this machine alone, and for admin keys of all agents.",
            hint="Send an admin key as `Authorization: Bearer …`; docs/operations.md shows how Prometheus does it.",
        )
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def is_from_here(request: HttpRequest) -> bool:
    """A proxy on this machine that is not listed as trusted does not make its callers local."""
    if request.META.get(FORWARDED_BY_STRANGER):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def _has_admin_key(request: HttpRequest) -> bool:
    """Raises `ApiError` for a key without the right or for single agents alone, and beyond a limit."""
    key = ADMIN(request)
    if key is None:
        return False
    if key.agents != "*":
        raise ApiError(
            ErrorCode.FORBIDDEN, "These figures are about all agents.", hint='Use a key whose agents are "*".'
        )
    return True


def _is_owner(request: HttpRequest) -> bool:
    try:
        return bool(request.user.is_active and request.user.is_superuser)
    except DatabaseError:
        return False
