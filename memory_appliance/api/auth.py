"""Keys at the door: who calls, whether the key has the right, and whether it may know of the agent."""

from __future__ import annotations

import re
from typing import cast

from django.http import HttpRequest
from ninja.security import HttpBearer

from agents.actors import Actor, Caller
from agents.api_keys import Right, find_key, is_trusted, may, visible_agents
from agents.errors import NotFound
from agents.models import Agent, ApiKey
from agents.models.agent import SLUG_PATTERN
from agents.selectors import get_agent
from memory_appliance.api.codes import ErrorCode
from memory_appliance.api.shape import ApiError

MAX_KEY_CHARS = 512


class ApiKeyAuth(HttpBearer):
    """`Authorization: Bearer <key>`, with one of the given rights."""

    def __init__(self, *rights: Right) -> None:
        super().__init__()
        self.rights = rights

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey | None:
        """The key, or None (401). Raises `ApiError` (403) when it has none of the rights."""
        secret = token.strip()
        if not secret or len(secret) > MAX_KEY_CHARS:
            return None
        key = find_key(secret)
        if key is not None and not any(may(key, right) for right in self.rights):
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
    key = key_of(request)
    return Actor(f"key:{key.pk} {key.name}", request.META.get("REMOTE_ADDR", ""))


def caller_of(request: HttpRequest) -> Caller:
    return Caller(actor_of(request), trusted=is_trusted(key_of(request)))


def agent_of(request: HttpRequest, slug: str) -> Agent:
    """The agent with its collections and rules at hand.

    Raises `NotFound`: an agent that the key is not for is as absent as one that does not exist.
    """
    if not re.match(SLUG_PATTERN, slug):
        raise NotFound("There is no such agent.", hint="A slug has lower-case letters, digits and inner hyphens.")
    return get_agent(slug, visible_agents(key_of(request)))


def require_fleet_key(request: HttpRequest) -> None:
    """Some calls reach beyond single agents: only a key for all agents may make them."""
    if key_of(request).agents != "*":
        raise ApiError(
            ErrorCode.FORBIDDEN, "This call needs a key for all agents.", hint='Use a key whose agents are "*".'
        )
