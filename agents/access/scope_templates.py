"""Ready-made scope rules for common households, to start from."""

from __future__ import annotations

from types import MappingProxyType

from agents.access.scope import DEFAULT_SCOPE, Match, Rule, Scope
from agents.access.sessions import ChatType


def _allow(*types: ChatType) -> tuple[Rule, ...]:
    return tuple(Rule("allow", Match(chat_type=one)) for one in types)


SCOPE_TEMPLATES = MappingProxyType(
    {
        "private": DEFAULT_SCOPE,
        "groups": Scope("deny", (*DEFAULT_SCOPE.rules, *_allow("group"))),
        "jobs": Scope("deny", (*DEFAULT_SCOPE.rules, *_allow("heartbeat", "cron", "subagent"))),
        "everyone": Scope(
            "deny", (*DEFAULT_SCOPE.rules, *_allow("group", "channel", "heartbeat", "cron", "subagent", "explicit"))
        ),
        "nobody": Scope("deny"),
    }
)
"""What a new agent has; groups too; the agent's own jobs too; every chat whose kind is known; the owner alone."""
