"""What a chat may start with: everything, only what other agents share, or nothing, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from agents.access.privacy import PRIVATE
from agents.access.scope import Decision, Scope
from search.sentences import sentence

Grant = Literal["all", "shared", "none"]


@dataclass(frozen=True, slots=True)
class Access:
    grant: Grant
    decision: Decision


def access(scope: Scope, decision: Decision) -> Access:
    """Stricter than the gate of searches, because nobody asked for what a context brings.

    A private chat that the rules allow gets all. A group, a channel, a cron run and every other kind gets it only
    when the deciding rule names that chat type: a rule for every chat, or a default of allow, is not enough. A
    sub-agent that no rule names gets what other agents share with this one.
    """
    if not decision.allowed:
        return Access("none", decision)
    chat_type = decision.derived.chat_type
    if chat_type in PRIVATE:
        return Access("all", decision)
    named = decision.rule is not None and scope.rules[decision.rule].match.chat_type == chat_type
    if named:
        return Access("all", decision)
    if chat_type == "subagent":
        return Access("shared", decision)
    reason = sentence(
        "a chat of type {chat_type} starts without memory unless a rule names that type", chat_type=chat_type
    )
    return Access("none", replace(decision, allowed=False, reason=reason))
