"""Create, revoke and rotate API keys. A secret leaves this module once; the table keeps its digest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from agents.access.secrets import RIGHTS, Right, digest_of, lookup_of, new_secret
from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.core.text import clean_line
from agents.models import Agent, ApiKey
from search.sentences import sentence

MIN_SECRET_CHARS = 32


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key and its secret, which cannot be shown again."""

    row: ApiKey
    secret: str


def create_key(
    *,
    actor: Actor,
    name: str,
    agents: list[str] | Literal["*"],
    rights: list[Right],
    trusted: bool = False,
    expires_at: datetime | None = None,
    secret: str | None = None,
) -> NewKey:
    """`secret` is for the bootstrap key alone: any string of 32 characters or more."""
    known_rights = _known_rights(rights)
    draft = ApiKey(
        name=clean_line(name, field="name", longest=200, required=True),
        agents=_known_agents(agents),
        rights=known_rights,
        trusted=trusted,
        expires_at=_in_future(expires_at),
    )
    if secret is not None and len(secret) < MIN_SECRET_CHARS:
        raise Invalid(
            sentence("A key needs {min_secret_chars} characters or more.", min_secret_chars=MIN_SECRET_CHARS),
            hint=sentence("Use a longer one."),
            field="key",
        )
    secret = secret or new_secret(known_rights)
    draft.lookup, draft.digest = lookup_of(secret), digest_of(secret)
    if ApiKey.objects.filter(Q(digest=draft.digest) | Q(previous_digest=draft.digest)).exists():
        raise Conflict(
            sentence("This key exists already."), hint=sentence("Use another secret."), field="key", code="key_exists"
        )
    with transaction.atomic():
        draft.save(force_insert=True)
        record(
            actor=actor,
            action="key.create",
            target=draft.label,
            detail={"agents": draft.agents, "rights": draft.rights, "trusted": draft.trusted},
        )
    return NewKey(draft, secret)


def revoke_key(*, actor: Actor, key: ApiKey) -> None:
    """The key stops working at once; its row stays for the log. Revoking it again changes nothing."""
    with transaction.atomic():
        if ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
            record(actor=actor, action="key.revoke", target=key.label)


def rotate_key(*, actor: Actor, key: ApiKey, overlap: timedelta | None = None) -> NewKey:
    """A new secret for the same key; the old one works for `overlap` more (None: the server's), then no more.

    A secret from an earlier rotation that still overlapped ends now: a key never has more than two.
    """
    if overlap is None:
        overlap = timedelta(seconds=settings.MEMORY_KEY_OVERLAP_SECONDS)
    secret = new_secret(key.rights)
    with transaction.atomic():
        rotated = ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(
            previous_lookup=F("lookup"),
            previous_digest=F("digest"),
            previous_until=timezone.now() + overlap,
            lookup=lookup_of(secret),
            digest=digest_of(secret),
            last_used_at=None,
        )
        if not rotated:
            raise Conflict(sentence("The key is revoked."), hint=sentence("Create a new one."), code="key_revoked")
        record(
            actor=actor,
            action="key.rotate",
            target=key.label,
            detail={"overlap_seconds": int(overlap.total_seconds())},
        )
    key.refresh_from_db()
    return NewKey(key, secret)


def _known_agents(agents: list[str] | Literal["*"]) -> list[str] | str:
    if agents == "*":
        return agents
    slugs = list(dict.fromkeys(agents))
    unknown = set(slugs) - set(Agent.objects.filter(slug__in=slugs).values_list("slug", flat=True))
    if unknown or not slugs:
        raise Invalid(
            sentence("There is no agent {unknown}.", unknown=", ".join(sorted(unknown)))
            if unknown
            else sentence("The key names no agent."),
            hint=sentence('Name agents that exist, or "*" for all.'),
            field="agents",
        )
    return slugs


def _known_rights(rights: list[Right]) -> list[Right]:
    if not rights or set(rights) - set(RIGHTS):
        raise Invalid(
            sentence("Rights are one or more of read, write, admin."),
            hint=sentence("Use read for a gateway."),
            field="rights",
        )
    return [right for right in RIGHTS if right in rights]


def _in_future(moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    if timezone.is_naive(moment):
        raise Invalid(
            sentence("The time has no zone."), hint=sentence("Write it like 2027-01-31T00:00:00Z."), field="expires_at"
        )
    if moment <= timezone.now():
        raise Invalid(sentence("The time has passed."), hint=sentence("Give a time in the future."), field="expires_at")
    return moment
