"""Chats, rules and verdicts in words, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.access.scope import Decision, Obstacle
from agents.access.scope_never import NeverDecides
from agents.access.sessions import Chat

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

CHAT_TYPES: dict[str, StrOrPromise] = {
    "direct": gettext_lazy("private chat"),
    "group": gettext_lazy("group"),
    "channel": gettext_lazy("channel"),
    "cron": gettext_lazy("scheduled job"),
    "subagent": gettext_lazy("sub-agent"),
    "heartbeat": gettext_lazy("heartbeat"),
    "explicit": gettext_lazy("explicit call"),
    "unknown": gettext_lazy("unknown"),
}

TEMPLATES: dict[str, tuple[StrOrPromise, StrOrPromise]] = {
    "private": (gettext_lazy("Private chats"), gettext_lazy("What every new agent starts with.")),
    "groups": (gettext_lazy("Private chats and groups"), gettext_lazy("Everyone in these groups can ask.")),
    "jobs": (
        gettext_lazy("Private chats and the agent's own jobs"),
        gettext_lazy("Heartbeats, scheduled jobs and sub-agents can recall too."),
    ),
    "everyone": (gettext_lazy("Every known chat type"), gettext_lazy("Only chats of unknown type are denied.")),
    "nobody": (gettext_lazy("Owner only"), gettext_lazy("No chat can recall anything; your own calls can.")),
}


def of_chat(chat: Chat) -> str:
    """A chat in a list: its type, its channel, its session key."""
    kind = str(CHAT_TYPES.get(chat.chat_type, chat.chat_type))
    return " · ".join(part for part in (kind, chat.channel, chat.raw_key) if part)


def of_obstacle(obstacle: Obstacle) -> str:
    """Why a rule does not apply to a chat."""
    wanted, found = obstacle.wanted, obstacle.found or _("none")
    match obstacle.condition:
        case "chat_type":
            kinds = {"wanted": CHAT_TYPES.get(wanted, wanted), "found": CHAT_TYPES.get(found, found)}
            return _("the chat type is %(found)s, not %(wanted)s") % kinds
        case "channel":
            return _("the channel is %(found)s, not %(wanted)s") % {"wanted": wanted, "found": found}
        case "key_prefix":
            return _("the session key doesn’t start with “%(wanted)s”") % {"wanted": wanted}
        case "raw_key_prefix":
            return _("the full session key doesn’t start with “%(wanted)s”") % {"wanted": wanted}
        case "needs_type":
            kind = CHAT_TYPES.get(found, found)
            return _("“allow” by prefix covers this type of chat (%(kind)s) only if you choose the type too") % {
                "kind": kind
            }


def of_decision(decision: Decision) -> str:
    """Who decided, with the rules counted from one as the page shows them."""
    values = {"rule": "" if decision.rule is None else decision.rule + 1}
    if decision.rule is None:
        kind = CHAT_TYPES.get(decision.derived.chat_type, decision.derived.chat_type)
        if decision.allowed and decision.derived.chat_type == "explicit":
            return _("This is the owner’s own call, which is always allowed.")
        values = {"kind": str(kind)}
        if decision.allowed:
            return _("No rule matches this chat (%(kind)s), so the default applies: allow.") % values
        return _("No rule matches this chat (%(kind)s), so the default applies: deny.") % values
    if decision.allowed:
        return _("Rule %(rule)s allows it.") % values
    return _("Rule %(rule)s denies it.") % values


def of_never(never: NeverDecides) -> str:
    """Why a rule decides for no chat, and what to do about it."""
    rules = _(", ").join(str(place + 1) for place in never.by)
    if never.reason == "excluded":
        return _("No chat can meet all of these conditions at once. Remove one.")
    if never.reason == "needs_type":
        return _("Never applies: “allow” by prefix doesn’t cover these chats unless you choose the chat type too.")
    if never.harmless:
        return ngettext(
            "Redundant: rule %(rules)s already covers these chats.",
            "Redundant: rules %(rules)s already cover these chats.",
            len(never.by),
        ) % {"rules": rules}
    return ngettext(
        "Never applies: rule %(rules)s decides first for all of these chats. Move this rule up, or remove it.",
        "Never applies: rules %(rules)s decide first for all of these chats. Move this rule up, or remove it.",
        len(never.by),
    ) % {"rules": rules}
