"""The pages an agent has, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from agents.access.roles import Role

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Tab:
    """`route`: an address that takes the agent's slug; `key`: pressed after `g`; `within`: the routes behind it."""

    route: str
    label: StrOrPromise
    key: str = ""
    role: Role = "view"
    within: tuple[str, ...] = ()


TABS: tuple[Tab, ...] = (
    Tab("agent", _("Health"), "i"),
    Tab("search", _("Search"), "q"),
    Tab("files", _("Files"), "f", within=("file", "file-edit", "note-new")),
    Tab("chats", _("Chats"), "l", within=("chat", "chat-delete")),
    Tab("learned", _("Learned"), "d"),
    Tab("memory-health", _("Memory health"), "h", within=("memory-consolidate",)),
    Tab("recall", _("Recall"), "t"),
    Tab("scope", _("Scope"), "w", "admin"),
    Tab("agent-collections", _("Collections"), "c", "admin"),
    Tab("agent-settings", _("Settings"), "e", "admin"),
    Tab("agent-jobs", _("Jobs"), "j"),
    Tab("history", _("Versions"), "v"),
)
