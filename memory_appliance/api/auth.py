"""Keys at the door: who calls, whether the key has the right, and whether it may know of the agent."""

from __future__ import annotations

import re
from typing import cast

from django.http import HttpRequest
from ninja.security import HttpBearer

from agents.access.secrets import Right, find_key, is_trusted, may, note_use, visible_agents
from agents.core.actors import Actor, Caller
from agents.core.audit import record
from agents.core.errors import NotFound
from agents.models import Agent, ApiKey
from agents.models.agent import SLUG_PATTERN
from agents.registry.selectors import get_agent
from memory_appliance.admission.throttles import (
    ADDRESS_REQUESTS,
    KEY_FAILURES,
    KEY_REQUESTS,
    TooMany,
    refuse_when_used_up,
    take,
)
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import ApiError

MAX_KEY_CHARS = 512


class ApiKeyAuth(HttpBearer):
    """`Authorization: Bearer <key>`, with one of the given rights."""

    def __init__(self, *rights: Right) -> None:
        super().__init__()
        self.rights = rights

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey | None:
        """The key, or None (401). Raises `ApiError`: 403 when it has none of the rights, 429 beyond a limit."""
        secret = token.strip()
        if not secret or len(secret) > MAX_KEY_CHARS:
            return None
        key = _admit(secret, request.META.get("REMOTE_ADDR", ""))
        if key is not None and not any(may(key, right) for right in self.rights):
            record(
                actor=actor_of_key(request, key),
                action="key.denied",
                target=request.path[:200],
                detail={"method": request.method, "needs": list(self.rights)},
            )
            raise ApiError(
                ErrorCode.FORBIDDEN,
                f"This call needs the right {' or '.join(self.rights)}.",
                hint="Use another key, or create one with this right.",
            )
        return key


READ = ApiKeyAuth("read")
WRITE = ApiKeyAuth("write")
ADMIN = ApiKeyAuth("admin")
ANY_RIGHT = ApiKeyAuth("read", "write", "admin")


def key_of(request: HttpRequest) -> ApiKey:
    """The key that `ApiKeyAuth` let in."""
    return cast(ApiKey, request.auth)  # type: ignore[attr-defined] # django-ninja sets it


def actor_of(request: HttpRequest) -> Actor:
    return actor_of_key(request, key_of(request))


def actor_of_key(request: HttpRequest, key: ApiKey) -> Actor:
    return Actor(key.label, request.META.get("REMOTE_ADDR", ""))


def caller_of(request: HttpRequest) -> Caller:
    return Caller(actor_of(request), trusted=is_trusted(key_of(request)))


def agent_of(request: HttpRequest, slug: str) -> Agent:
    """The agent with its collections and rules at hand.

    Raises `NotFound`: an agent that the key is not for is as absent as one that does not exist.
    """
    if not re.match(SLUG_PATTERN, slug):
        raise NotFound("There is no such agent.", hint="A slug has lower-case letters, digits and inner hyphens.")
    return get_agent(slug, visible_agents(key_of(request)))


def _admit(secret: str, address: str) -> ApiKey | None:
    """The key with this secret, counted.

    An address that has tried too many wrong ones gets no answer, right or wrong, for a while; a key that has been
    used from there before goes on working, so that one gateway with an old key does not lock out its neighbours.
    """
    try:
        take(ADDRESS_REQUESTS, address)
        key = find_key(secret)
        if key is None:
            take(KEY_FAILURES, address)
            return None
        if key.last_address != address:
            refuse_when_used_up(KEY_FAILURES, address)
        take(KEY_REQUESTS, str(key.pk))
    except TooMany as error:
        raise ApiError(ErrorCode.TOO_MANY_REQUESTS, str(error), retry_after=error.retry_after) from error
    note_use(key, address)
    return key


def count_requests(request: HttpRequest, more: int) -> None:
    """What one request holds beyond its first: each counts for the key. Raises `ApiError` (429)."""
    try:
        for _ in range(more):
            take(KEY_REQUESTS, str(key_of(request).pk))
    except TooMany as error:
        raise ApiError(ErrorCode.TOO_MANY_REQUESTS, str(error), retry_after=error.retry_after) from error


def require_fleet_key(request: HttpRequest) -> None:
    """Some calls reach beyond single agents: only a key for all agents may make them."""
    if key_of(request).agents != "*":
        raise ApiError(
            ErrorCode.FORBIDDEN, "This call needs a key for all agents.", hint='Use a key whose agents are "*".'
        )
