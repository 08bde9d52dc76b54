"""What every page has around it: the main links, the person, the languages, light or dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from agents.access.roles import is_owner

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

THEMES = ("light", "dark")
THEME_COOKIE = "theme"


@dataclass(frozen=True, slots=True)
class Link:
    """A place to go to. `route`: the name of its address; `key`: pressed after `g`; `within`: the routes behind it."""

    route: str
    label: StrOrPromise
    key: str
    for_owners: bool = False
    within: tuple[str, ...] = ()


MAIN: tuple[Link, ...] = (
    Link("overview", _("Overview"), "o"),
    Link("playground", _("Search"), "s"),
    Link("recall-fleet", _("Recall"), "r"),
    Link("keys", _("Keys"), "k", for_owners=True, within=("key-new", "key-rotate", "key-revoke")),
    Link("users", _("People"), "u", for_owners=True, within=("user", "user-new", "user-delete")),
    Link("audit", _("Audit"), "a", for_owners=True),
    Link(
        "system",
        _("System"),
        "y",
        for_owners=True,
        within=("models", "role", "doctor", "backups", "options", "about"),
    ),
)
"""The links at the top of every page, in their order."""


def chrome(request: HttpRequest) -> dict[str, Any]:
    """The context processor; nothing here asks the database unless a template uses it."""
    return {
        "layout": "base.html",
        "theme": theme_of(request),
        "languages": settings.LANGUAGES,
        "language": get_language(),
        "is_owner": SimpleLazyObject(lambda: is_owner(request.user)),
        "main_links": SimpleLazyObject(lambda: _links(request)),
    }


def theme_of(request: HttpRequest) -> str:
    """The person's own choice; "" follows the system."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


def _links(request: HttpRequest) -> list[Link]:
    owner = is_owner(request.user)
    return [link for link in MAIN if owner or not link.for_owners]
