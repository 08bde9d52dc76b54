"""chat_name(): a chat's name in words, from its session key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from agents.access.sessions import derive
from memory_appliance.web.diff import visible
from memory_appliance.web.scope.words import CHAT_TYPES

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_KINDS = frozenset({"direct", "dm", "group", "channel", "cron", "subagent", "explicit"})


@dataclass(frozen=True, slots=True)
class ChatName:
    """`title` says with whom or what and where, `kind` the type of chat. Nothing in it is invisible."""

    title: str
    kind: StrOrPromise


def chat_name(session_key: str) -> ChatName:
    """The key of a chat of unknown type is its title."""
    chat = derive(session_key)
    kind = CHAT_TYPES.get(chat.chat_type, chat.chat_type)
    parts = chat.name.split(":")
    if parts[0] == "agent":
        parts = parts[2:]
    if chat.chat_type == "unknown" or not any(parts):
        return ChatName(visible(session_key), kind)
    if parts[-1] == "heartbeat" and len(parts) > 1:
        parts.pop()
    thread = ""
    if len(parts) > 2 and parts[-2] == "thread":
        thread = _("thread %(name)s") % {"name": parts[-1]}
        parts = parts[:-2]
    if parts == ["main"]:
        return ChatName(_("Main chat"), kind)
    place = next((at for at, part in enumerate(parts[:3]) if part in _KINDS), len(parts))
    where, peer = parts[:place], ":".join(parts[place + 1 :])
    if where:
        where[0] = where[0][:1].upper() + where[0][1:]
    return ChatName(visible(" · ".join(part for part in (*where, peer, thread) if part)), kind)
