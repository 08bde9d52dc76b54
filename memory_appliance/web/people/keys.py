"""The list of API keys: for whom, with which rights, when and from where they were used last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.core.paging import page_of
from agents.models import ApiKey
from agents.registry import selectors
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MOST_AGENTS = 5
"""Agents named per key; the rest are counted."""
SOON = timedelta(days=14)

RIGHTS: dict[str, StrOrPromise] = {
    "read": _("search and read"),
    "write": _("write notes"),
    "admin": _("full admin"),
}


@dataclass(frozen=True, slots=True)
class KeyRow:
    """`agents` is () for a key that is for all. `overlap`: until when the secret before the last rotation works."""

    key: ApiKey
    agents: tuple[str, ...]
    more: int
    rights: tuple[StrOrPromise, ...]
    expired: bool
    ends_soon: bool
    overlap: datetime | None


@owner_page
@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    page = page_of(selectors.list_keys().order_by("-pk"), request.GET.get("page"))
    now = timezone.now()
    return answer(request, "people/keys.html", {"page": page, "rows": [key_row(key, now) for key in page.rows]})


def key_row(key: ApiKey, now: datetime) -> KeyRow:
    named = tuple(str(slug) for slug in key.agents) if isinstance(key.agents, list) else ()
    ends, before = key.expires_at, key.previous_until
    return KeyRow(
        key=key,
        agents=named[:MOST_AGENTS],
        more=max(0, len(named) - MOST_AGENTS),
        rights=tuple(words for right, words in RIGHTS.items() if right in key.rights),
        expired=ends is not None and ends <= now,
        ends_soon=ends is not None and now < ends <= now + SOON,
        overlap=before if before is not None and before > now else None,
    )
