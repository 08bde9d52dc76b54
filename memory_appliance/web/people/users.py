"""The list of people: owners, members with their roles, and how they sign in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.access.roles import Role
from agents.core.paging import page_of
from agents.registry import selectors
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MOST_ROLES = 5
"""Roles named per person; the rest are counted."""

ROLE_WORDS: dict[Role, StrOrPromise] = {
    "view": _("view"),
    "edit": _("edit"),
    "admin": _("manage"),
}


@dataclass(frozen=True, slots=True)
class UserRow:
    user: User
    roles: tuple[tuple[str, StrOrPromise], ...]
    more: int
    has_password: bool
    is_self: bool


@owner_page
@require_safe
def users(request: HttpRequest) -> HttpResponse:
    page = page_of(selectors.list_users(), request.GET.get("page"))
    rows = [_row(user, is_self=user.pk == request.user.pk) for user in page.rows]
    return answer(request, "people/users.html", {"page": page, "rows": rows})


def _row(user: User, *, is_self: bool) -> UserRow:
    roles = [(slug, ROLE_WORDS[role]) for slug, role in selectors.roles_of(user).items()]
    return UserRow(
        user=user,
        roles=tuple(roles[:MOST_ROLES]),
        more=max(0, len(roles) - MOST_ROLES),
        has_password=user.has_usable_password(),
        is_self=is_self,
    )
