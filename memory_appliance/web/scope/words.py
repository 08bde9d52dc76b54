"""Chats, rules and verdicts in words, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.scope import Decision, Match
from agents.scope_never import NeverDecides

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
    "groups": (gettext_lazy("Private chats and groups"), gettext_lazy("Everybody in those groups can ask.")),
    "jobs": (
        gettext_lazy("Private chats and the agent's own jobs"),
        gettext_lazy("Heartbeats, scheduled jobs and sub-agents see the memory too."),
    ),
    "everyone": (gettext_lazy("Every known kind of chat"), gettext_lazy("Only chats of unknown kind are denied.")),
    "nobody": (gettext_lazy("The owner alone"), gettext_lazy("No chat sees anything; your own calls do.")),
}


def of_match(match: Match) -> str:
    """The conditions of a rule as one phrase."""
    given = [
        text % {"value": value}
        for text, value in (
            (
                _("kind of chat is %(value)s"),
                CHAT_TYPES.get(match.chat_type, match.chat_type) if match.chat_type else "",
            ),
            (_("channel is %(value)s"), match.channel),
            (_("key begins with %(value)s"), match.key_prefix),
            (_("whole key begins with %(value)s"), match.raw_key_prefix),
        )
        if value
    ]
    return _(", ").join(given) if given else _("every chat")


def of_decision(decision: Decision) -> str:
    """Who decided, with the rules counted from one as the page shows them."""
    values = {"rule": "" if decision.rule is None else decision.rule + 1}
    if decision.rule is None:
        kind = CHAT_TYPES.get(decision.derived.chat_type, decision.derived.chat_type)
        if decision.allowed and decision.derived.chat_type == "explicit":
            return _("This is the owner's own call, which is always allowed.")
        values = {"kind": str(kind)}
        if decision.allowed:
            return _("No rule is about this chat (kind: %(kind)s), and the last resort allows it.") % values
        return _("No rule is about this chat (kind: %(kind)s), and the last resort denies it.") % values
    if decision.allowed:
        return _("Rule %(rule)s allows it.") % values
    return _("Rule %(rule)s denies it.") % values


def of_never(never: NeverDecides) -> str:
    """Why a rule decides for no chat, and what to do about it."""
    rules = _(", ").join(str(place + 1) for place in never.by)
    if never.reason == "excluded":
        return _("No chat can meet all of these conditions at once. Take one out.")
    if never.reason == "needs_type":
        return _("Never used: an “allow” by prefix does not cover these chats unless the kind of chat is chosen too.")
    if never.harmless:
        return ngettext(
            "Says nothing new: rule %(rules)s decides the same for all of these chats.",
            "Says nothing new: rules %(rules)s decide the same for all of these chats.",
            len(never.by),
        ) % {"rules": rules}
    return ngettext(
        "Never used: rule %(rules)s decides for all of these chats. Move this one up, or remove it.",
        "Never used: rules %(rules)s decide for all of these chats. Move this one up, or remove it.",
        len(never.by),
    ) % {"rules": rules}
