"""The secret of an API key: its shape, what is kept of it, and which key a given secret is."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from django.db.models import Q
from django.utils import timezone

from agents.core.remembered import remembered
from agents.locking.control_database import if_free
from agents.models import ApiKey

Right = Literal["read", "write", "admin"]
RIGHTS: tuple[Right, ...] = ("read", "write", "admin")

PREFIXES = {"read": "mar_", "write": "maw_", "admin": "maa_"}
"""A key's prefix shows its highest right."""

LOOKUP_CHARS = 12
LAST_USED_STEP = timedelta(minutes=1)


def new_secret(rights: Sequence[str]) -> str:
    """192 random bits behind the prefix of the highest of `rights`."""
    highest = max(rights, key=lambda right: RIGHTS.index(right))
    return PREFIXES[highest] + secrets.token_urlsafe(24)


def digest_of(secret: str) -> str:
    """SHA-256 is enough: the secret is random and long, there is nothing to guess."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def lookup_of(secret: str) -> str:
    """An indexed slice of the digest, so that no part of the secret itself is kept."""
    return digest_of(secret)[:LOOKUP_CHARS]


def find_key(secret: str) -> ApiKey | None:
    """The valid key with this secret. One query, none while nothing has changed."""
    now = timezone.now()
    digest = digest_of(secret)
    lookup = digest[:LOOKUP_CHARS]
    named = Q(lookup=lookup) | Q(previous_lookup=lookup)
    for key in remembered(("key", lookup), lambda: list(ApiKey.objects.filter(named, revoked_at__isnull=True))):
        if key.expires_at is not None and key.expires_at <= now:
            continue
        overlaps = key.previous_until is not None and key.previous_until > now
        if hmac.compare_digest(key.digest, digest) or (overlaps and hmac.compare_digest(key.previous_digest, digest)):
            return key
    return None


def note_use(key: ApiKey, address: str) -> None:
    """When and from where the key was used last; written at most once a minute."""
    now = timezone.now()
    if key.last_used_at is None or key.last_used_at < now - LAST_USED_STEP:
        row = ApiKey.objects.filter(pk=key.pk)
        if_free(lambda: row.update(last_used_at=now, last_address=address[:64]))


def may(key: ApiKey, right: Right) -> bool:
    """Only what was given; `admin` includes the others. A key that may only append notes must not read memory."""
    return right in key.rights or "admin" in key.rights


def sees(key: ApiKey, slug: str) -> bool:
    """Whether the key is for this agent. A name is compared whole: a key for `al` does not see `al-2`."""
    return key.agents == "*" or (isinstance(key.agents, list) and slug in key.agents)


def visible_agents(key: ApiKey) -> Q:
    """The same as a filter of agents."""
    return Q() if key.agents == "*" else Q(slug__in=key.agents)


def is_trusted(key: ApiKey) -> bool:
    """May call without a session, as the owner."""
    return key.trusted or may(key, "admin")
